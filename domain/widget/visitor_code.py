"""The code that verifies a visitor's address: six digits, mailed to it.

How likely is it to guess one? A code bears TRIES tries, and a wrong one counts against every living
code of the session, so several living codes change nothing. An address gets at most CODES_A_DAY
codes from a client's widget, in whichever sessions: 5 x 5 = 25 comparisons a day, each right once
in 1,000,000 times. That is 25 in 1,000,000 a day for one address. All addresses together bear
WRONG_A_DAY wrong comparisons a day from a client's widget, and at most 2 more by the last try,
which is compared with every code of its session: 302 in 1,000,000, so 0.3 in 1,000 a day for any
address, however many addresses and networks a stranger has. After that every try is wrong until the
day is over; a shop whose visitors mistype one code in five still verifies 1,440 of them a day, as
many as get a code.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from domain.core.ports import Sealer
from domain.identity.code import code_digest, is_code

LIFETIME: Final = timedelta(minutes=10)
TRIES: Final = 5
SESSION_CODES_AN_HOUR: Final = 3
CODES_A_DAY: Final = 5
"""Of one address, from one client's widget."""
CODES_AN_HOUR: Final = 60
"""Of one client's widget."""
WRONG_A_DAY: Final = 300
"""Comparisons with codes of one client's widget that were made within the day."""
HOUR: Final = timedelta(hours=1)
DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class RecentCodes:
    """The codes of a client's widget that were made before: `of_session` and `of_client` within
    the hour, `of_address` within the day. `oldest`: of those of the session. Only those of the
    session count what was held back too."""

    of_session: int
    of_address: int
    of_client: int
    oldest: datetime | None

    def wait_s(self, now: datetime) -> float | None:
        """Seconds until the session may have another code; None: it may now."""
        if self.oldest is None or self.of_session < SESSION_CODES_AN_HOUR:
            return None
        return (self.oldest + HOUR - now).total_seconds()

    @property
    def may_be_mailed(self) -> bool:
        """Whether the address and the client have room for another one."""
        return self.of_address < CODES_A_DAY and self.of_client < CODES_AN_HOUR


def visitor_code_digest(sealer: Sealer, client_id: str, code_id: str, code: str) -> bytes:
    """What is stored of a code."""
    return code_digest(sealer, _name(client_id, code_id), code)


def is_visitor_code(
    sealer: Sealer, client_id: str, code_id: str, presented: str, digest: bytes
) -> bool:
    """Whether a presented text is the code of this digest, compared in constant time."""
    return is_code(sealer, _name(client_id, code_id), presented, digest)


def _name(client_id: str, code_id: str) -> str:
    """What a code is digested with: one of another client, or of signing in, is not this one."""
    return f"widget/{client_id}/{code_id}"

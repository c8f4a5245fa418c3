"""The code that verifies a visitor's address: six digits, mailed to it.

How likely is it to guess one? A code bears TRIES tries, and a wrong one counts against every living
code of the session, so several living codes change nothing. An address gets at most CODES_A_DAY
codes from a client's widget, in whichever sessions: 5 x 5 = 25 comparisons a day, each right once
in 1,000,000 times. That is 25 in 1,000,000 a day for one address. A stranger with six network
addresses can have CODES_AN_HOUR codes an hour: 60 x 24 x 5 = 7,200 comparisons a day, which is 7 in
1,000 for any one of 288 addresses, each of whose holders gets five mails.
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
HOUR: Final = timedelta(hours=1)
DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class RecentCodes:
    """The codes of a client's widget that were made before: `of_session` and `of_client` within
    the hour, `of_address` within the day. `oldest`: of those of the session."""

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

"""The code that proves the address of a ticket's author: six digits, mailed to the address and
typed in the ticket.

How likely is it to guess one? A code bears TRIES tries, and a wrong one counts against every living
code of its thread. An address gets at most CODES_A_DAY codes a day in a client's tickets: 5 x 5 =
25 comparisons, each right once in 1,000,000 times. All addresses together bear WRONG_A_DAY wrong
comparisons a day: 0.3 in 1,000 a day for any address, however many tickets a stranger opens.

A code lives longer than that of a sign-in or a widget: it is typed in a ticket, where the customer
may see the answer that asks for it only with the helpdesk's next mail.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from domain.core.ports import Sealer
from domain.identity.code import code_digest, is_code

LIFETIME: Final = timedelta(minutes=30)
TRIES: Final = 5
THREAD_CODES_AN_HOUR: Final = 3
CODES_A_DAY: Final = 5
"""Of one address, from one client's tickets."""
CODES_AN_HOUR: Final = 60
"""Of one client's tickets."""
WRONG_A_DAY: Final = 300
"""Comparisons with codes of one client's tickets that were made within the day."""
PROOF_LASTS: Final = timedelta(hours=24)
"""How long the author's address is proved in the thread. A ticket may be left open at a desk, and a
mail's From may be forged into it."""
HOUR: Final = timedelta(hours=1)
DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class RecentAddressCodes:
    """The codes that were mailed before: `of_thread` and `of_client` within the hour, `of_address`
    within the day."""

    of_thread: int
    of_address: int
    of_client: int

    @property
    def may_be_mailed(self) -> bool:
        return (
            self.of_thread < THREAD_CODES_AN_HOUR
            and self.of_address < CODES_A_DAY
            and self.of_client < CODES_AN_HOUR
        )


def address_code_digest(sealer: Sealer, client_id: str, code_id: str, code: str) -> bytes:
    """What is stored of a code. A code of another client or thread has another digest."""
    return code_digest(sealer, _name(client_id, code_id), code)


def is_address_code(
    sealer: Sealer, client_id: str, code_id: str, presented: str, digest: bytes
) -> bool:
    """Whether a presented text is the code of this digest, compared in constant time."""
    return is_code(sealer, _name(client_id, code_id), presented, digest)


def _name(client_id: str, code_id: str) -> str:
    return f"address/{client_id}/{code_id}"

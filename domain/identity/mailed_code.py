"""The emailed code: it verifies an address in a ticket or in a widget session.

A code is valid only in the place that requested it: one author's thread in a ticket, or one widget
session. Limits count by address and by requester, which is a network for the widget, and an author
for a ticket. An attacker's requests and guesses therefore do not lock out another person:

- An address can receive CODES_A_DAY codes a day from a client, CODES_A_REQUESTER of them for one
  requester. Beyond these limits, a place without a code in the day still gets one, up to
  CODES_AT_MOST.
- After that, one shared code an hour is emailed to the address. It is valid in every place that
  requested a code but got no mail, and for an hour longer than other codes.
- A client can send CODES_AN_HOUR codes an hour. Beyond this limit, a requester without a code in
  the hour still gets one, up to CODES_AN_HOUR_AT_MOST. A known address always gets a code.
- A wrong try counts only in its own place. After WRONG_A_DAY wrong tries in a day at a client, the
  client's new codes have LONG digits. All earlier codes stay valid.

Decision 0083 has the resulting number of emails and the chances of guessing a code.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from domain.core.ports import Sealer
from domain.identity.code import code_digest, is_code

TRIES: Final = 5
PLACE_CODES_AN_HOUR: Final = 3
CODES_A_REQUESTER: Final = 3
CODES_A_DAY: Final = 5
CODES_AT_MOST: Final = 10
REQUESTER_CODES_AN_HOUR: Final = 20
CODES_AN_HOUR: Final = 60
CODES_AN_HOUR_AT_MOST: Final = 300
WRONG_A_DAY: Final = 300
SHORT: Final = 6
LONG: Final = 9
NUMBERS: Final = 10**LONG
"""Exclusive upper bound of the random number from which a code is generated."""
PROOF_LASTS: Final = timedelta(hours=24)
"""The period for which an author's address counts as verified in a ticket's thread. Later, another
person at a shared screen, or an attacker with a forged From address, may write in the ticket."""
HOUR: Final = timedelta(hours=1)
DAY: Final = timedelta(days=1)


class CodePlace(StrEnum):
    """The place where a code is entered: a ticket's thread or a widget session. The value is part
    of each code's digest."""

    WIDGET = "widget"
    TICKET = "address"


_LIFETIMES: Final = {
    CodePlace.WIDGET: timedelta(minutes=10),
    # The lifetime for tickets is longer because the ticket's author might see the request for a
    # code only when the helpdesk's own mail arrives.
    CodePlace.TICKET: timedelta(minutes=30),
}


class CodeKind(StrEnum):
    """How a code is emailed. `own`: for one ticket thread or widget session. `shared`: valid for
    everyone who requested a code for the address and did not receive a separate one. `held_back`:
    not emailed, because the shared code is still valid."""

    OWN = "own"
    SHARED = "shared"
    HELD_BACK = "held_back"


@dataclass(frozen=True, slots=True)
class MailedCodes:
    """The codes that a client emailed earlier for one kind of place: an author's thread in a
    ticket, or a widget session.

    - `asked_of_place`, `oldest`: the number of the place's requests within the hour, including
      withheld requests, and the time of the first request.
    - `mailed_of_place`, `shared_of_address`, `by_requester_lately`, `of_client`: emailed within the
      hour.
    - `of_place`, `by_requester`, `of_address`: emailed to the address within the day, without
      shared codes.
    - `wrong`: the client's wrong tries within the day.
    - `is_known`: the client has verified the address before.
    """

    asked_of_place: int
    oldest: datetime | None
    mailed_of_place: int
    shared_of_address: int
    by_requester_lately: int
    of_client: int
    of_place: int
    by_requester: int
    of_address: int
    wrong: int
    is_known: bool

    def wait_s(self, now: datetime) -> float | None:
        """Return the number of seconds until the ticket thread or widget session may request
        another code, or None if it may request one now."""
        if self.oldest is None or self.asked_of_place < PLACE_CODES_AN_HOUR:
            return None
        return (self.oldest + HOUR - now).total_seconds()

    @property
    def next_kind(self) -> CodeKind:
        if self.mailed_of_place >= PLACE_CODES_AN_HOUR or not self._client_has_room:
            return CodeKind.HELD_BACK
        if self.by_requester < CODES_A_REQUESTER and self.of_address < CODES_A_DAY:
            return CodeKind.OWN
        if self.of_place == 0 and self.of_address < CODES_AT_MOST:
            return CodeKind.OWN
        return CodeKind.HELD_BACK if self.shared_of_address else CodeKind.SHARED

    @property
    def _client_has_room(self) -> bool:
        if self.is_known:
            return True
        if self.by_requester_lately >= REQUESTER_CODES_AN_HOUR:
            return False
        is_first = self.by_requester_lately == 0 and self.of_client < CODES_AN_HOUR_AT_MOST
        return self.of_client < CODES_AN_HOUR or is_first

    def text_of_next(self, number: int) -> str:
        """Return the digits of the next code, derived from a random number below NUMBERS."""
        if not 0 <= number < NUMBERS:
            raise ValueError("a code is made of a number below a thousand million")
        is_long = self.next_kind is not CodeKind.OWN or self.wrong >= WRONG_A_DAY
        digits = LONG if is_long else SHORT
        return f"{number % 10**digits:0{digits}d}"


def lifetime_of(place: CodePlace, *, is_shared: bool) -> timedelta:
    """Return the lifetime of a code. A shared code is valid for one hour longer than other
    codes."""
    return _LIFETIMES[place] + (HOUR if is_shared else timedelta(0))


def minutes_of(place: CodePlace, *, is_shared: bool) -> int:
    """Return the lifetime of a code, in whole minutes."""
    return round(lifetime_of(place, is_shared=is_shared).total_seconds() / 60)


def mailed_code_digest(
    sealer: Sealer, place: CodePlace, client_id: str, code_id: str, code: str
) -> bytes:
    """Return the digest under which a code is stored. The same code has a different digest for each
    client and record."""
    return code_digest(sealer, f"{place}/{client_id}/{code_id}", code)


def is_mailed_code(
    sealer: Sealer,
    place: CodePlace,
    client_id: str,
    code_id: str,
    *,
    presented: str,
    digest: bytes,
) -> bool:
    """Return True if a presented text is the code with this digest. The comparison takes constant
    time."""
    name = f"{place}/{client_id}/{code_id}"
    return is_code(sealer, name, presented, digest, digits=(SHORT, LONG))

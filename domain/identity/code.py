"""The sign-in code: six digits sent by email.

Limits count by network, so that an attacker does not use up the limits of the address's owner:

- A network that the user has signed in from has its own limit of CODES_A_DAY codes a day.
- Any other network is untrusted, and has a limit of CODES_A_REQUESTER codes a day for an address.
  All untrusted networks together have a limit of CODES_A_DAY.
- Beyond these limits, a network gets one spare code an hour for a user's address, and one a day for
  another address. After untrusted networks have requested CODES_AT_MOST codes in the day, only a
  user's address gets one spare code an hour.
- A code allows TRIES tries from the network that requested it, and TRIES_ELSEWHERE tries from other
  networks. A spare code allows TRIES_SPARE tries, only from the network that requested it.

An attacker with dozens of networks can make at most 148 guesses a day at a known address: 10 x (5 +
3) + (20 - 10 + 24) x 2. Each guess has a chance of 1 in 1,000,000. A wrong try counts against every
valid code for the address, so more valid codes do not help the attacker.
"""

import hmac
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from domain.core.ports import Sealer

CODES: Final = 1_000_000
LIFETIME: Final = timedelta(minutes=10)
TRIES: Final = 5
TRIES_ELSEWHERE: Final = 3
TRIES_SPARE: Final = 2
CODES_A_DAY: Final = 10
CODES_A_REQUESTER: Final = 5
CODES_AT_MOST: Final = 20
HOUR: Final = timedelta(hours=1)
DAY: Final = timedelta(days=1)

_SHAPE: Final = re.compile(r"[0-9]+")
# Users copy the space that email programs show in the middle of the code.
_SPACES: Final = re.compile(r"[\s-]")


@dataclass(frozen=True, slots=True)
class CodesMade:
    """The codes already requested for an address.

    - `is_known`: the address belongs to a user.
    - `is_trusted`: that user has signed in from this network.
    - `by_strangers`: codes requested by untrusted networks within the day.
    - `to_strangers`: codes requested by this network within the hour for addresses without an
      account.
    """

    is_known: bool
    is_trusted: bool
    by_strangers: int
    by_requester: int
    within_hour: int
    by_requester_within_hour: int
    to_strangers: int


@dataclass(frozen=True, slots=True)
class Tries:
    """The tries that a code allows: `at_home` from the network that requested it, `elsewhere` from
    all others."""

    at_home: int
    elsewhere: int


def tries_of_next(made: CodesMade, *, to_strangers: int, crowded: bool = False) -> Tries | None:
    """Return the number of tries that the next code allows, or None if no code may be emailed.

    `to_strangers` limits `CodesMade.to_strangers`. If the installation is `crowded`, a known
    address gets codes only from its user's networks, plus one spare code an hour.
    """
    if crowded and not made.is_trusted:
        return Tries(TRIES_SPARE, 0) if made.is_known and made.within_hour == 0 else None
    if not made.is_known and made.to_strangers >= to_strangers:
        return None
    own = CODES_A_DAY if made.is_trusted else CODES_A_REQUESTER
    if made.by_requester < own and (made.is_trusted or made.by_strangers < CODES_A_DAY):
        return Tries(TRIES, TRIES_ELSEWHERE)
    lately = made.by_requester_within_hour if made.is_known else made.by_requester
    is_first = lately == 0 and made.by_strangers < CODES_AT_MOST
    if is_first or (made.is_known and made.within_hour == 0):
        return Tries(TRIES_SPARE, 0)
    return None


def code_text(number: int) -> str:
    """Return the digits of a code, from a random number below CODES."""
    if not 0 <= number < CODES:
        raise ValueError("a sign-in code is made of a number below a million")
    return f"{number:06d}"


def code_digest(sealer: Sealer, code_id: str, code: str) -> bytes:
    """Return the digest under which a code is stored. The digest is keyed because a plain digest of
    six digits can be reversed with a million guesses."""
    return sealer.digests(_named(code_id, code))[0]


def is_code(
    sealer: Sealer, code_id: str, presented: str, digest: bytes, *, digits: tuple[int, ...] = (6,)
) -> bool:
    """Return True if `presented` is the code with this digest, in constant time. `digits` are the
    allowed code lengths."""
    presented = _SPACES.sub("", presented)
    candidates: Sequence[bytes] = sealer.digests(_named(code_id, presented))
    # A list evaluates every comparison. A generator would stop at the first match.
    same = [hmac.compare_digest(candidate, digest) for candidate in candidates]
    return any(same) and len(presented) in digits and _SHAPE.fullmatch(presented) is not None


def _named(code_id: str, code: str) -> str:
    return f"sign-in code/{code_id}/{code}"

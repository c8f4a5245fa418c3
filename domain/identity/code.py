"""The sign-in code: six digits that a mail brings.

How likely is it to guess one? Within any 24 hours an address gets at most CODES_A_DAY codes, and
each of them bears TRIES tries, from however many networks: 10 x 5 = 50
comparisons, each right once in 1,000,000 times. That is at most 5 in 100,000 a day for an address.
A wrong try counts against every living code of the address, so several living codes change nothing.
"""

import hmac
import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from domain.core.ports import Sealer

CODES: Final = 1_000_000
LIFETIME: Final = timedelta(minutes=10)
TRIES: Final = 5
CODES_A_DAY: Final = 10
DAY: Final = timedelta(days=1)

_SHAPE: Final = re.compile(r"[0-9]{6}")
# People copy the space that a mail program shows in the middle.
_SPACES: Final = re.compile(r"[\s-]")


def code_text(number: int) -> str:
    """The code's text, from a random number below CODES."""
    if not 0 <= number < CODES:
        raise ValueError("a sign-in code is made of a number below a million")
    return f"{number:06d}"


def code_digest(sealer: Sealer, code_id: str, code: str) -> bytes:
    """What is stored of a code. Keyed: a plain digest falls to a million guesses."""
    return sealer.digests(_named(code_id, code))[0]


def is_code(sealer: Sealer, code_id: str, presented: str, digest: bytes) -> bool:
    """Whether a presented text is the code of this digest, compared in constant time."""
    presented = _SPACES.sub("", presented)
    candidates: Sequence[bytes] = sealer.digests(_named(code_id, presented))
    # A list, not a generator: each comparison is made.
    same = [hmac.compare_digest(candidate, digest) for candidate in candidates]
    return any(same) and _SHAPE.fullmatch(presented) is not None


def _named(code_id: str, code: str) -> str:
    return f"sign-in code/{code_id}/{code}"

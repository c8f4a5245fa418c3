"""Identifiers: the type of a verified client id, and the canonical spelling of a ULID."""

import re
from datetime import datetime
from typing import Final, NewType

TenantId = NewType("TenantId", str)
"""A client_id verified by authentication. Repositories accept no other type. `api/auth.py` and
`api/access.py` create it for requests, and `activities/` from a workflow input that admission
wrote."""

ULID: Final = "^[0-7][0-9A-HJKMNP-TV-Z]{25}$"
"""A regular expression that matches a ULID in its stored (upper-case) form."""

_ULID: Final = re.compile(ULID)


def parse_ulid(text: str) -> str | None:
    """Return the ULID in its stored (upper-case) spelling, or None if `text` is not a ULID."""
    upper = text.upper() if text.isascii() else text
    return upper if _ULID.fullmatch(upper) else None


_CROCKFORD: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def first_ulid(at: datetime) -> str:
    """Return the smallest ULID of the aware time `at`. ULIDs created later are equal or larger.
    Times before 1970 are treated as 1970."""
    milliseconds = max(0, int(at.timestamp() * 1000))
    places = range(45, -1, -5)
    return "".join(_CROCKFORD[milliseconds >> place & 31] for place in places) + "0" * 16

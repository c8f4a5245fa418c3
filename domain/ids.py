"""Identifiers: the types that carry permission, and the one spelling of a ULID."""

import re
from typing import Final, NewType

TenantId = NewType("TenantId", str)
"""A client_id that authentication has vouched for; repositories accept nothing else.

Minted in `api/auth.py` and `api/dashboard_access.py` for requests, and in `activities/` from the
ids that admission wrote into a workflow's input.
"""

ULID: Final = "^[0-7][0-9A-HJKMNP-TV-Z]{25}$"
"""The pattern of a ULID as it is stored."""

_ULID: Final = re.compile(ULID)


def parse_ulid(text: str) -> str | None:
    """The ULID in its stored (upper-case) spelling, or None if `text` is none."""
    upper = text.upper() if text.isascii() else text
    return upper if _ULID.fullmatch(upper) else None

"""A draft: a person's input in a form of a page that was not sent with success."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

KEPT: Final = timedelta(days=7)

MOST: Final = 50
"""The most drafts of one user in one client."""


@dataclass(frozen=True, slots=True)
class Draft:
    """`fields`: as the form sends them, with `seen`, the version that they were based on."""

    fields: Mapping[str, str]
    saved_at: datetime

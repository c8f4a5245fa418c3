"""A draft: a person's input in a page's form that was not submitted successfully."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

KEPT: Final = timedelta(days=7)

MOST: Final = 50
"""Maximum number of one user's drafts in one client."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft. `fields`: as the form sends them, with `seen`, the version on which they were
    based."""

    fields: Mapping[str, str]
    saved_at: datetime

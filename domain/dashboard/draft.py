"""A draft: a user's input in a dashboard form that was not submitted."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

KEPT: Final = timedelta(days=7)

MOST: Final = 50
"""Maximum number of drafts per user and client."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft of a form, with the fields as sent by the browser. `_seen` contains the version of
    the displayed data."""

    fields: Mapping[str, str]
    saved_at: datetime

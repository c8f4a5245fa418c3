"""A draft: a person's input in a form of the dashboard that was not submitted successfully."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

KEPT: Final = timedelta(days=7)

MOST: Final = 50
"""Maximum number of drafts per user and client."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft of a form. `fields`: the form's fields, as the browser sends them. The field `_seen`
    contains the version from which the form was filled."""

    fields: Mapping[str, str]
    saved_at: datetime

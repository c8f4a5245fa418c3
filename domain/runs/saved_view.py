"""A saved view: filters of the inbox that a member saved under a name, for all members."""

from datetime import datetime
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.runs.errors import InvalidInboxView
from domain.runs.inbox import InboxFilter

MAX_VIEWS: Final = 50
"""Maximum number of saved views of a client."""

MAX_VIEW_NAME: Final = 60
"""Maximum length of a saved view's name, in characters."""


class SavedView(BaseModel):
    """A saved view. `created_by` is the name of the actor who saved it."""

    model_config = ConfigDict(frozen=True)

    id: str
    name: str
    filters: InboxFilter
    created_by: str
    created_at: datetime
    updated_at: datetime


def checked_view_name(name: str) -> str:
    """Return the name without superfluous white space. Raises InvalidInboxView for an empty name
    and a name that is too long."""
    trimmed = " ".join(name.split())
    if not 0 < len(trimmed) <= MAX_VIEW_NAME or "\0" in trimmed:
        raise InvalidInboxView(
            f"name: 1 to {MAX_VIEW_NAME} characters",
            f"champ « name » : de 1 à {MAX_VIEW_NAME} caractères",
        )
    return trimmed

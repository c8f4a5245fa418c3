"""The cursor of a page of all clients' records, which are sorted by time."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa


@dataclass(frozen=True, slots=True)
class Place:
    """The time and id of the page's last record."""

    at: datetime
    id: str


def beyond(
    place: Place | None, at: "sa.ColumnElement[datetime]", record_id: "sa.ColumnElement[str]"
) -> sa.ColumnElement[bool]:
    """Return the condition that a record comes after `place`; true for the first page."""
    if place is None:
        return sa.true()
    return sa.tuple_(at, record_id) > sa.tuple_(place.at, place.id)

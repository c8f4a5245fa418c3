"""A pagination cursor for lists of all clients' records, sorted by time."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa


@dataclass(frozen=True, slots=True)
class Place:
    """A pagination cursor: the time and id of the last record on a page."""

    at: datetime
    id: str


def beyond(
    place: Place | None, at: "sa.ColumnElement[datetime]", record_id: "sa.ColumnElement[str]"
) -> sa.ColumnElement[bool]:
    """Return the SQL condition that selects the records after `place`. On the first page, where
    `place` is None, the condition is true."""
    if place is None:
        return sa.true()
    return sa.tuple_(at, record_id) > sa.tuple_(place.at, place.id)

"""Where a page ends, of records of all clients in the order of a time."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa


@dataclass(frozen=True, slots=True)
class Place:
    """That of the last record, by its time and id."""

    at: datetime
    id: str


def beyond(
    place: Place | None, at: "sa.ColumnElement[datetime]", record_id: "sa.ColumnElement[str]"
) -> sa.ColumnElement[bool]:
    """That a record comes after it; of the first page, every one does."""
    if place is None:
        return sa.true()
    return sa.tuple_(at, record_id) > sa.tuple_(place.at, place.id)

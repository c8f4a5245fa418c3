"""What merchants' systems were told, each body against the schema of its event."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from jsonschema import Draft202012Validator

from domain.webhook_catalogue import entry
from store.database import Database
from store.tables import outbox
from tests.support.rows import rows


@dataclass(frozen=True)
class Told:
    """One row of the outbox; `data` is that of its envelope."""

    id: str
    event: str
    dedup_key: str
    data: dict[str, Any]
    created_at: datetime


async def told(database: Database, **where: object) -> list[Told]:
    """What these columns' values select, the oldest first. Fails if a body breaks its schema."""
    found = [_read(row) for row in await rows(database, outbox, **where)]
    return sorted(found, key=lambda one: one.id)


def _read(row: dict[str, Any]) -> Told:
    body = json.loads(row["body"])
    Draft202012Validator(
        dict(entry(row["event"]).body_schema), format_checker=Draft202012Validator.FORMAT_CHECKER
    ).validate(body)
    assert (body["event"], body["client_id"]) == (row["event"], row["client_id"])
    return Told(row["id"], row["event"], row["dedup_key"], body["data"], row["created_at"])

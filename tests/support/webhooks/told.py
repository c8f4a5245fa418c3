"""Events sent to merchants' systems, each body validated against its schema."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from jsonschema import Draft202012Validator

from domain.webhooks.catalogue import entry
from store.core.database import Database
from store.webhooks.tables import outbox
from tests.support.core.rows import rows
from tests.support.tenants.shop import Shop


@dataclass(frozen=True)
class Told:
    """One row of the outbox. `data` is the data in its body."""

    event: str
    dedup_key: str
    data: dict[str, Any]
    created_at: datetime


async def told_events(database: Database, *, of: Shop | None = None, **where: object) -> list[Told]:
    found = await rows(database, outbox, of=of, **where)
    return [_read(row) for row in sorted(found, key=lambda row: str(row["id"]))]


async def only_told(database: Database, *, of: Shop | None = None, **where: object) -> Told:
    found = await told_events(database, of=of, **where)
    assert len(found) == 1, f"{len(found)} told, one expected"
    return found[0]


def check_body(event: str, body: bytes) -> dict[str, Any]:
    """Parse the body. Raises jsonschema's ValidationError if it does not match the catalogue."""
    read: dict[str, Any] = json.loads(body)
    Draft202012Validator(entry(event).body_schema).validate(read)
    return read


def _read(row: dict[str, Any]) -> Told:
    body = check_body(row["event"], row["body"])
    assert body["client_id"] == row["client_id"]
    behind = row["created_at"] - datetime.fromisoformat(body["timestamp"])
    assert timedelta(0) <= behind < timedelta(milliseconds=1)
    return Told(row["event"], row["dedup_key"], body["data"], row["created_at"])

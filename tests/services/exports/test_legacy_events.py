"""Events of the first version: permissions, all or none, and the audit entry."""

import io
import json
from hashlib import sha256

import pytest
from structlog.testing import capture_logs

from domain.core.errors import InvalidInput
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import RoleRequired
from services.exports.legacy_events import ImportedEvents, delete_legacy_event, import_legacy_events
from services.exports.tenant_import import import_export
from store.core.database import Database
from store.exports.tables import automation_events
from tests.support.core.rows import rows
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop

OPERATOR = Actor.operator("operator:anna")
OWNER = Actor.person("o", Role.OWNER)


def lines(count: int) -> io.BytesIO:
    event = {"event_type": "order.created", "created_at": "2024-05-01T10:00:00+02:00"}
    return io.BytesIO(
        "".join(f"{json.dumps({**event, 'id': str(one)})}\n\n" for one in range(count)).encode()
    )


async def test_more_than_one_statement_takes(database: Database, shop: Shop) -> None:
    with capture_logs() as logs:
        for count, done in ((2, ImportedEvents(2, 0)), (501, ImportedEvents(499, 2))):
            async with units_on(database).of(shop.tenant) as work:
                assert await import_legacy_events(work, OPERATOR, lines(count)) == done
    assert len(await rows(database, automation_events, of=shop)) == 501
    noted = [log for log in logs if log.get("client_id") == shop.client_id]
    assert [(entry["user_id"], entry["imported"]) for entry in noted] == [
        (OPERATOR.name, "2"),
        (OPERATOR.name, "499"),
    ]


async def test_all_or_none(database: Database, shop: Shop) -> None:
    """An invalid line after a complete statement of valid ones."""
    wrong = io.BytesIO(lines(500).getvalue() + b"{}\n")
    with pytest.raises(InvalidInput, match="line 1001"):
        async with units_on(database).of(shop.tenant) as work:
            await import_legacy_events(work, OPERATOR, wrong)
    assert await rows(database, automation_events, of=shop) == []


async def test_one_is_deleted(database: Database, shop: Shop) -> None:
    async with units_on(database).of(shop.tenant) as work:
        await import_legacy_events(work, OPERATOR, lines(2))
    with capture_logs() as logs:
        async with units_on(database).of(shop.tenant) as work:
            await delete_legacy_event(work, OPERATOR, "1")
    assert [row["id"] for row in await rows(database, automation_events, of=shop)] == ["0"]
    (noted,) = (log for log in logs if log.get("client_id") == shop.client_id)
    assert noted["event_digest"] == sha256(b"1").hexdigest()

    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(InvalidInput, match="no event with this id"):
            await delete_legacy_event(work, OPERATOR, "1")
        with pytest.raises(RoleRequired):
            await delete_legacy_event(work, OWNER, "0")


async def test_no_role_of_a_client_brings_anything_in(database: Database, shop: Shop) -> None:
    units = units_on(database)
    async with units.of(shop.tenant) as work:
        with pytest.raises(RoleRequired):
            await import_legacy_events(work, OWNER, lines(1))
    with pytest.raises(RoleRequired):
        await import_export(units, OWNER, shop.tenant, io.BytesIO(b"{}"))
    assert await rows(database, automation_events, of=shop) == []

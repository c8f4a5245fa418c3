"""GET /api/client/export-data while the database or one of its tables is unavailable."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from psycopg import sql

from domain.exports.export import Section
from store.core.tables import error_reports
from tests.support.core.engine import LiveEngine, database_away
from tests.support.core.postgres import as_owner
from tests.support.core.rows import rows
from tests.support.core.waiting import eventually
from tests.support.exports.export import ask, exported
from tests.support.reviews.dashboard import set_clock
from tests.support.tenants.full_tenant import fill_every_table
from tests.support.tenants.shop import Shop

pytestmark = pytest.mark.own_database

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def each_minute(front: LiveEngine) -> Iterator[None]:
    """Advance the clock by a minute per step, so that no rate limit applies."""
    now = NOW
    while True:
        set_clock(front, now)
        yield
        now += timedelta(minutes=1)


@pytest.mark.parametrize("which", ["database", "exports"])
async def test_database_away(front: LiveEngine, shop: Shop, which: str) -> None:
    resources = front.app.state.resources
    with database_away(resources.database if which == "database" else resources.exports.database):
        answer = await ask(front, shop)

    assert answer.status_code == 500
    assert answer.json()["code"] == "engine_unavailable"
    assert answer.headers["content-type"] == "application/json"
    assert "content-disposition" not in answer.headers


async def test_table_that_is_forbidden(front: LiveEngine, shop: Shop) -> None:
    """Its section is empty, the others are complete, and an operator is notified."""
    await fill_every_table(front.database, shop)
    minutes = each_minute(front)
    next(minutes)
    whole = await exported(front, shop)
    for section, table in tables_by_section().items():
        with psycopg.connect(as_owner(front.settings.database.url)) as owner:
            owner.execute(sql.SQL("REVOKE SELECT ON {} FROM engine_app").format(table))
            owner.commit()
            next(minutes)
            body = await exported(front, shop)
            next(minutes)
            lines = (await ask(front, shop, format="csv")).text
            owner.execute(sql.SQL("GRANT SELECT ON {} TO engine_app").format(table))

        empty = {section} | ({Section.SETTINGS} if section == Section.CLIENT else set())
        assert {name for name in Section if not body[name]} == empty
        # Each export adds its own audit entry.
        other = set(Section) - empty - {Section.AUDIT_ENTRIES}
        assert {name: body[name] for name in other} == {name: whole[name] for name in other}
        assert f"## {section} (0)\r\n" in lines

    async def counted() -> bool:
        found = await rows(front.database, error_reports)
        return bool(sum(one["occurrences"] for one in found) >= 2 * len(Section))

    await eventually(counted)
    reports = await rows(front.database, error_reports)
    assert {report["code"] for report in reports} == {"export_section_failed"}
    assert {report["client_id"] for report in reports} == {shop.client_id}


async def test_table_that_is_absent(front: LiveEngine, shop: Shop) -> None:
    await fill_every_table(front.database, shop)
    minutes = each_minute(front)
    absent: set[Section] = set()
    tables = tables_by_section()
    del tables[Section.AUDIT_ENTRIES]  # An export that cannot be audited is refused.
    for section, table in reversed(tables.items()):
        with psycopg.connect(as_owner(front.settings.database.url)) as owner:
            owner.execute(sql.SQL("DROP TABLE {} CASCADE").format(table))
        absent.add(section)
        next(minutes)

        body = await exported(front, shop)

        assert {name for name in Section if not body[name]} == absent
    next(minutes)
    lines = (await ask(front, shop, format="csv")).content.decode("utf-8-sig")
    found = re.findall(r"^## (\w+) \((\d+)\)\r$", lines, re.MULTILINE)
    assert [name for name, _ in found] == list(Section)
    assert {name for name, number in found if number != "0"} == {Section.AUDIT_ENTRIES}


@pytest.mark.parametrize("form", ["json", "csv"])
async def test_an_export_that_cannot_be_audited_is_refused(
    front: LiveEngine, shop: Shop, form: str
) -> None:
    """Nothing is sent, and an operator is notified. Once the table is repaired, exports work."""
    with psycopg.connect(as_owner(front.settings.database.url)) as owner:
        owner.execute("REVOKE INSERT ON audit_entries FROM engine_app")
    minutes = each_minute(front)
    next(minutes)

    refused = await ask(front, shop, format=form)

    assert (refused.status_code, refused.json()["code"]) == (500, "export_not_audited")
    assert "content-disposition" not in refused.headers
    assert [one["code"] for one in await reported(front)] == ["export_not_audited"]
    with psycopg.connect(as_owner(front.settings.database.url)) as owner:
        owner.execute("GRANT INSERT ON audit_entries TO engine_app")
    next(minutes)
    assert (await ask(front, shop, format=form)).status_code == 200


async def reported(front: LiveEngine) -> list[dict[str, Any]]:
    """Wait for the first error reports, and return them."""

    async def counted() -> bool:
        return bool(await rows(front.database, error_reports))

    await eventually(counted)
    return await rows(front.database, error_reports)


def tables_by_section() -> dict[Section, sql.Identifier]:
    named = {Section.CLIENT: "clients", Section.SETTINGS: "client_settings"}
    return {section: sql.Identifier(named.get(section, section)) for section in Section}

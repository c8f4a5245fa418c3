"""Audit entries are written together with the change, or not at all."""

import asyncio
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
import sqlalchemy as sa

from domain.audit.chain import ALL
from domain.core.errors import EngineUnavailable
from domain.tenants.api_key import KEY_BYTES
from domain.tenants.client import Role
from domain.tenants.client_settings import SettingsChange
from services.audit.verification import VerifiedChain, verify_chains
from services.intake.admission import Admitted
from services.tenants.client_settings import change_settings
from services.tenants.keys import create_key
from store.audit.tables import audit_entries, audit_heads
from store.core.database import Database
from store.tenants.accounts import AccountRepository
from store.tenants.tables import client_settings
from tests.support.audit.chains import ANNA
from tests.support.core.postgres import as_owner
from tests.support.core.rows import only_row, rows
from tests.support.core.units import units_on
from tests.support.intake.admission import try_to_admit
from tests.support.tenants.joined import join
from tests.support.tenants.shop import Shop

CHANGE = SettingsChange(system_prompt="Sois bref.")


async def verified(database: Database, client_id: str) -> VerifiedChain:
    (chain,) = [one async for one in verify_chains(database, client_id, page=7)]
    return chain


async def test_an_entry_tells_the_change(database: Database, shop: Shop) -> None:
    async with database.service() as connection:
        await join(connection, shop.client_id, ANNA.name, Role.ADMIN)
    async with units_on(database).of(shop.tenant) as work:
        made = await create_key(work, ANNA, "shop", secrets.token_bytes(KEY_BYTES))

    # In addition to the owner, she first requested trust in the key.
    entry = await only_row(database, audit_entries, of=shop, what="key created")
    assert entry["seq"] == 2
    assert (entry["actor_kind"], entry["actor"], entry["network"]) == (
        "person",
        "anna",
        "192.0.2.0/24",
    )
    assert (entry["what"], entry["ids"], entry["at"]) == (
        "key created",
        {"key_id": made.id},
        work.now,
    )
    assert (await verified(database, shop.client_id)).faults == ()


async def test_one_unit_of_work_has_one_place_after_the_other(
    database: Database, shop: Shop
) -> None:
    for _ in range(2):
        async with units_on(database).of(shop.tenant) as work:
            for what in ("one", "two", "three"):
                work.note(ANNA, what)

    found = sorted(await rows(database, audit_entries, of=shop), key=lambda row: row["seq"])
    assert [(row["seq"], row["what"]) for row in found] == list(
        enumerate(["one", "two", "three"] * 2, start=1)
    )
    assert await verified(database, shop.client_id) == VerifiedChain(shop.client_id, 6, ())


async def test_what_is_not_committed_is_not_told(database: Database, shop: Shop) -> None:
    async def fail() -> None:
        async with units_on(database).of(shop.tenant) as work:
            await change_settings(work, ANNA, CHANGE)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    async with units_on(database).of(shop.tenant, dry_run=True) as work:
        await change_settings(work, ANNA, CHANGE)

    for table in (audit_entries, audit_heads, client_settings):
        assert await rows(database, table, of=shop) == []


async def test_a_connection_that_dies_before_the_commit_leaves_neither(
    database: Database, shop: Shop, database_url: str
) -> None:
    """The backend is killed after the entry is written, before the commit starts."""

    async def killed() -> None:
        async with units_on(database).of(shop.tenant) as work:
            await change_settings(work, ANNA, CHANGE)
            await work.write_notes()
            pid = await work.connection.scalar(sa.text("SELECT pg_backend_pid()"))
            with psycopg.connect(as_owner(database_url), autocommit=True) as owner:
                owner.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])

    with pytest.raises(EngineUnavailable):
        await killed()

    for table in (audit_entries, audit_heads, client_settings):
        assert await rows(database, table, of=shop) == []


async def test_who_has_committed_is_told_however_many_come_at_once(
    database: Database, shop: Shop
) -> None:
    """Half of them lock the account first, as admission does: no deadlock occurs."""
    units = units_on(database)

    async def work_once(number: int) -> None:
        async with units.of(shop.tenant) as work:
            if number % 2:
                await AccountRepository(work.connection, shop.tenant).lock()
            work.note(ANNA, "first", number=str(number))
            work.note(ANNA, "second", number=str(number))

    await asyncio.gather(*(work_once(number) for number in range(50)))

    assert await verified(database, shop.client_id) == VerifiedChain(shop.client_id, 100, ())
    found = sorted(await rows(database, audit_entries, of=shop), key=lambda row: row["seq"])
    pairs = [(found[at], found[at + 1]) for at in range(0, 100, 2)]
    assert all(one["ids"] == two["ids"] and one["what"] < two["what"] for one, two in pairs)
    assert len({one["ids"]["number"] for one, _ in pairs}) == 50


async def test_each_client_has_a_chain_and_the_installation_too(
    database: Database, shop: Shop
) -> None:
    async with units_on(database).everywhere() as work:
        work.note(ANNA, "resealed")
    async with units_on(database).spanning(shop.tenant) as work:
        work.note(ANNA, "member added")

    assert (await only_row(database, audit_entries, of=shop))["seq"] == 1
    assert (await verified(database, ALL)).faults == ()
    async with database.reading(shop.tenant) as connection:
        seen = set(await connection.scalars(sa.select(audit_entries.c.client_id)))
    assert seen == {shop.client_id}


@contextmanager
def statements_on(database: Database) -> Iterator[list[str]]:
    """Return all SQL statements except for the transaction boundaries."""
    counted: list[str] = []

    def count(*call: object) -> None:
        counted.append(str(call[2]))

    engine = database.engine.sync_engine
    sa.event.listen(engine, "before_cursor_execute", count)
    try:
        yield counted
    finally:
        sa.event.remove(engine, "before_cursor_execute", count)


async def test_an_entry_costs_two_statements(database: Database, shop: Shop) -> None:
    """Several entries need no more; a client's first entry also creates the chain's head."""
    for notes, statements in ((1, 4), (1, 2), (3, 2), (0, 0)):
        with statements_on(database) as counted:
            async with units_on(database).of(shop.tenant) as work:
                for _ in range(notes):
                    work.note(ANNA, "noted")
        assert len(counted) == statements, counted


async def test_an_event_at_the_gateway_costs_none(database: Database, shop: Shop) -> None:
    with statements_on(database) as counted:
        admitted = await try_to_admit(database, shop)

    assert isinstance(admitted, Admitted)
    assert counted
    assert not [one for one in counted if "audit" in one]
    assert await rows(database, audit_heads, of=shop) == []

"""Erasure of a client: none of its rows or executions remain, and other clients are unaffected."""

import asyncio

import pytest
import sqlalchemy as sa
from temporalio.testing import ActivityEnvironment

from adapters.system import new_ulid, utc_now
from domain.core.names import run_prefixes
from domain.dashboard.preferences import Preferences
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from services.audit.verification import verify_chains
from store.core.tables import error_reports
from store.dashboard.preferences import keep_preferences
from store.dashboard.tables import user_preferences
from store.metadata import metadata
from store.privacy.erasure_tenant import KEPT_TABLES
from store.tenants.members import MemberRepository
from store.tenants.tables import client_users, clients, users
from tests.support.core.engine import ENGINE_SECRET, GATEWAY, LiveEngine
from tests.support.core.rows import rows
from tests.support.core.units import units_on
from tests.support.privacy.erasing import (
    asked,
    erase,
    rows_of_all_tables,
    tables_with,
    workflow_ids,
)
from tests.support.tenants.full_tenant import fill_every_table
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.shop import ORDER_QUESTION, UNSURE_MESSAGE, Shop, open_shop

pytestmark = pytest.mark.own_database


async def _join(engine: LiveEngine, shop: Shop, user_id: str) -> None:
    async with engine.database.service() as connection:
        await MemberRepository(connection).add(shop.client_id, user_id, Role.AGENT, utc_now())


async def test_no_row_and_no_execution_is_left(
    engine: LiveEngine, shop: Shop, database_url: str
) -> None:
    other = await open_shop(engine.database)
    await engine.post(other, message=ORDER_QUESTION)
    await engine.post(other, message=UNSURE_MESSAGE)
    before, ids_before = rows_of_all_tables(database_url), await workflow_ids(engine)
    await fill_every_table(engine.database, shop)
    await _join(engine, shop, other.owner_user_id)
    for message in (ORDER_QUESTION, UNSURE_MESSAGE):
        await engine.post(shop, message=message)
    await engine.post(shop, message=ORDER_QUESTION, is_test=True)
    async with engine.database.service() as connection:
        await connection.execute(
            sa.insert(error_reports).values(
                id=new_ulid(), client_id=shop.client_id, place="p", code="c", created_at=utc_now()
            )
        )
        for user_id in (shop.owner_user_id, other.owner_user_id):
            wanted = Preferences(client_id=shop.client_id)
            await keep_preferences(connection, user_id, wanted, utc_now())
        for subject in (clients.c.id == shop.client_id, users.c.id == shop.owner_user_id):
            assert await connection.scalar(sa.select(sa.func.count()).where(subject))

    certificate = await erase(engine, shop)

    for table in metadata.sorted_tables:
        if "client_id" in table.c and table not in KEPT_TABLES:
            assert await rows(engine.database, table, client_id=shop.client_id) == [], table.name
            assert certificate.removed.get(table.name), table.name
    # Members of another client keep their page settings, without the erased client.
    (kept,) = await rows(engine.database, user_preferences)
    assert (kept["user_id"], kept["client_id"]) == (other.owner_user_id, None)
    assert await rows(engine.database, clients, id=shop.client_id) == []
    assert await rows(engine.database, users, id=shop.owner_user_id) == []
    left = {row for row in before if "rate_windows" not in row[0]}
    gone = left - rows_of_all_tables(database_url)
    assert all(shop.client_id in row or shop.owner_user_id in row for _, row in gone), gone
    assert [member["user_id"] for member in await rows(engine.database, client_users)] == [
        other.owner_user_id
    ]
    prefixes = run_prefixes(shop.client_id)
    assert not [found for found in await workflow_ids(engine) if found.startswith(prefixes)]
    assert ids_before <= await workflow_ids(engine)
    assert certificate.finished_at is not None
    assert certificate.standing is not None
    assert sum(certificate.standing.tickets.values()) == 3
    assert certificate.standing.credits_balance == 5

    again = await erase(engine, shop)

    assert (again.removed, again.standing) == ({}, None)


async def test_the_door_is_shut_while_rows_are_left(engine: LiveEngine, shop: Shop) -> None:
    await engine.post(shop, message=UNSURE_MESSAGE)
    await _run_step(engine, shop)
    body = {"client_id": shop.client_id, "message": ORDER_QUESTION}

    by_key = await engine.http.post(GATEWAY, json=body, headers=shop.headers)
    secret = {"x-engine-secret": ENGINE_SECRET}
    by_worker = await engine.http.post(GATEWAY, json=body, headers=secret)
    dry = await engine.http.post(GATEWAY, json={**body, "is_test": True}, headers=secret)
    person = bearer(session_token(engine.settings, shop.owner_user_id))
    by_owner = await engine.http.post(GATEWAY, json=body, headers=person)
    at_desk = await engine.http.get("/api/dashboard/reviews", headers=person)

    assert by_key.status_code == 401
    assert (by_worker.status_code, dry.status_code) == (404, 404)
    assert by_owner.status_code == 403
    assert at_desk.status_code == 403
    assert len(await rows(engine.database, metadata.tables["engine_events"])) == 1


async def _run_step(engine: LiveEngine, shop: Shop) -> None:
    """Run only the first step of an erasure."""
    step = engine.activities.erase.close
    await ActivityEnvironment().run(step, asked(engine, shop))


async def test_the_audit_log_stays_whole(engine: LiveEngine, shop: Shop, database_url: str) -> None:
    """Including entries with addresses, and entries after the erasure."""
    units, operator = units_on(engine.database), Actor.operator("anna@shop.example")
    async with units.spanning(shop.tenant) as work:
        work.note(operator, "erasure ordered", by="ben@shop.example")

    certificate = await erase(engine, shop)
    async with units.spanning(shop.tenant) as work:
        work.note(operator, "erasure ordered")

    (chain,) = [one async for one in verify_chains(engine.database, shop.client_id)]
    assert (chain.entries, chain.faults) == (2, ())
    assert "the audit log" in certificate.kept
    assert tables_with(database_url, "@shop.example") == {}


async def test_two_at_once_are_one(engine: LiveEngine, shop: Shop) -> None:
    first, second = await _both(engine, shop)

    assert first == second


async def _both(engine: LiveEngine, shop: Shop) -> tuple[str, str]:
    one, two = await asyncio.gather(erase(engine, shop), erase(engine, shop))
    return one.id, two.id

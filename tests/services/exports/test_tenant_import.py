"""An imported export: the same content in an empty client, without side effects."""

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.content.chunks import text_digest
from domain.core.ids import TenantId
from domain.exports.copied_ids import Renaming
from domain.exports.errors import ClientNotEmpty
from domain.exports.export import Section
from domain.exports.records import RECORDS
from domain.tenants.errors import ClientNotFound
from store.analytics.tables import metrics_daily
from store.content.tables import knowledge_entries
from store.core.database import Database
from store.exports.tables import automation_events
from store.integrations.integrations import IntegrationRepository
from store.integrations.tables import integrations
from store.metadata import metadata
from store.playbooks.tables import playbook_versions
from store.reviews.decision_sweep import decisions_not_taken_up
from store.reviews.tables import escalation_tickets
from store.runs.action_ledger import ActionLedger
from store.runs.left_received import runs_left_received
from store.runs.tables import ai_conversations, customer_memories, engine_runs
from store.tenants.tables import clients
from tests.support.agent.acting import CUSTOMER
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.rows import only_row, rows
from tests.support.core.temporal import TemporalServer
from tests.support.exports.exported import (
    Document,
    bring,
    document,
    empty_client,
    exported,
    row_count,
)
from tests.support.servers.mail import MailServer
from tests.support.tenants.full_tenant import fill_every_table
from tests.support.tenants.lived_tenant import lived_tenant
from tests.support.tenants.shop import Shop


@pytest.fixture
async def acting(
    database_url: str, temporal: TemporalServer, mail: MailServer
) -> AsyncIterator[LiveEngine]:
    async with live_engine(
        database_url,
        temporal.address,
        temporal.take_namespace(),
        smtp_url=mail.url,
        allow_loopback_targets=True,
    ) as engine:
        yield engine


def settled(one: Document) -> Document:
    """Return the content without work in progress, which an import closes."""
    for conversation in one["ai_conversations"]:
        del conversation["handed_over_at"]  # of a run with an open review, now left to human agents
    for review in one["escalation_tickets"]:
        if review["status"] in {"pending", "expired"}:
            for name in ("status", "decision", "decided_at"):
                del review[name]
    for run in one["engine_runs"]:
        if run["status"] == "received" or run["error_code"] == "imported":
            for name in ("status", "error_code", "finished_at"):
                del run[name]
    _settle_replies(one["conversation_replies"])
    for connection in one["integrations"]:
        if connection["status"] != "disconnected":
            del connection["status"], connection["error_code"]
    return one


def _settle_replies(replies: list[dict[str, Any]]) -> None:
    for reply in replies:
        if reply["state"] == "scheduled" or reply["error_code"] == "imported":
            for name in ("state", "error_code", "finished_at"):
                del reply[name]


def renamed(one: Document, tenant: TenantId) -> Document:
    ids = Renaming(tenant)
    return {
        section: sorted(
            (json.loads(ids.record(Section(section), json.dumps(record))) for record in records),
            key=json.dumps,
        )
        for section, records in one.items()
    }


def in_any_order(one: Document) -> Document:
    return {section: sorted(records, key=json.dumps) for section, records in one.items()}


async def test_a_lived_client_moves_and_is_copied(
    acting: LiveEngine, elsewhere: Database, tmp_path: Path
) -> None:
    """The models describe what the engine wrote; with its ids in another installation, and with new
    ids in the same one."""
    it = await lived_tenant(acting, tmp_path)
    here = acting.database
    told = {"author": "member", "note": "Remises de Noël"}
    async with here.service() as connection:
        await connection.execute(
            sa.update(playbook_versions)
            .where(playbook_versions.c.client_id == it.shop.client_id)
            .values(told)
        )
    text = await exported(here, it.shop.client_id)
    for section, records in json.loads(text).items():
        if section in set(Section):
            assert records, section
            for record in records:
                RECORDS[Section(section)].model_validate_json(json.dumps(record))
    before = await document(here, it.shop.client_id)

    moved = await bring(elsewhere, tenant := await empty_client(elsewhere), text)
    assert (moved.renamed, moved.widget_key_left) == (False, True)
    assert moved.records == {section: len(before[section]) for section in Section}
    assert (moved.closed.runs, moved.closed.reviews, moved.closed.integrations) == (0, 1, 1)
    after = await document(elsewhere, tenant)
    version = after["settings"][0]["playbooks"][0]["versions"][0]
    assert {name: version[name] for name in told} == told
    assert before["settings"][0].pop("widget_key") is not None
    assert after["settings"][0].pop("widget_key") is None
    assert settled(after) == settled(before)
    log = json.loads(await exported(elsewhere, tenant))["audit_entries"]
    assert [entry["what"] for entry in log] == ["export imported"]
    await _remembers_alike(here, it.shop.tenant, elsewhere, tenant)
    await _nothing_comes_of_it(elsewhere, tenant)
    async with elsewhere.tenant(tenant) as connection:
        spent = await ActionLedger(connection, tenant).spent(
            order_key="demo_shop/2001",
            customer=[CUSTOMER],
            currency="EUR",
            not_by="",
            now=utc_now(),
        )
    assert spent.customer == 4_900
    assert spent.on_order

    copied = await bring(here, copy := await empty_client(here), text)
    assert (copied.renamed, copied.widget_key_left) == (True, True)
    twin, original = await document(here, copy), await document(here, it.shop.client_id)
    original["settings"][0]["widget_key"] = None
    assert in_any_order(settled(twin)) == renamed(settled(original), copy)
    assert it.shop.client_id not in json.dumps(twin)
    await _shares_no_id(here, copy, it.shop.tenant)


async def _remembers_alike(here: Database, one: TenantId, there: Database, other: TenantId) -> None:
    remembered = {
        row["key"]: row["summary"] for row in await rows(here, customer_memories, client_id=one)
    }
    assert remembered
    assert remembered == {
        row["key"]: row["summary"] for row in await rows(there, customer_memories, client_id=other)
    }
    old = {row["id"]: row for row in await rows(here, ai_conversations, client_id=one)}
    for row in await rows(there, ai_conversations, client_id=other):
        assert row["turns"] == old[row["id"]]["turns"]
        assert row["waiting_since"] == old[row["id"]]["waiting_since"]
        assert row["turns"]
    old = {row["id"]: row for row in await rows(here, knowledge_entries, client_id=one)}
    for row in await rows(there, knowledge_entries, client_id=other):
        assert row["search_text"] == old[row["id"]]["search_text"]
        assert bytes(row["digest"]) == text_digest(row["title"], row["body"])


async def _nothing_comes_of_it(database: Database, tenant: TenantId) -> None:
    later = utc_now().replace(year=2100)
    async with database.service() as connection:
        assert await runs_left_received(connection, before=later, after=None, limit=9) == []
        assert await decisions_not_taken_up(connection, before=later, after=None, limit=9) == []
        for table in ("outbox", "webhook_deliveries", "usage_ledger", "usage_counters"):
            assert not await connection.scalar(
                sa.select(sa.func.count()).select_from(metadata.tables[table])
            )
    async with database.tenant(tenant) as connection:
        assert await IntegrationRepository(connection, tenant).connected() == ()
        assert await IntegrationRepository(connection, tenant).has_shop()


async def _shares_no_id(database: Database, one: TenantId, other: TenantId) -> None:
    async with database.service() as connection:
        for table in (
            "engine_events", "engine_runs", "engine_messages", "ai_conversations", "integrations",
            "escalation_tickets", "action_ledger", "sentiment_logs", "playbooks",
        ):  # fmt: skip
            first, second = metadata.tables[table], metadata.tables[table].alias()
            shared = await connection.scalar(
                sa.select(sa.func.count())
                .select_from(first.join(second, first.c.id == second.c.id))
                .where(first.c.client_id == one, second.c.client_id == other)
            )
            assert shared == 0, table


async def test_what_was_under_way_is_closed(
    database: Database, shop: Shop, elsewhere: Database
) -> None:
    """An unanswered run and its open review."""
    await fill_every_table(database, shop)
    text = await exported(database, shop.client_id)
    assert (await only_row(database, engine_runs, of=shop))["status"] == "received"
    done = await bring(elsewhere, tenant := await empty_client(elsewhere), text)
    assert (done.closed.runs, done.closed.reviews, done.closed.integrations) == (1, 1, 1)
    run = await only_row(elsewhere, engine_runs)
    assert (run["status"], run["error_code"]) == ("failed", "imported")
    review = await only_row(elsewhere, escalation_tickets)
    assert (review["status"], review["decision"]) == ("expired", "expire")
    conversation = await only_row(elsewhere, ai_conversations)
    assert conversation["handed_over_at"] == review["decided_at"], "people have it"
    assert (await only_row(elsewhere, integrations))["error_code"] == "credentials_missing"
    await _nothing_comes_of_it(elsewhere, tenant)
    assert settled(await document(elsewhere, tenant)) == settled(
        await document(database, shop.client_id)
    )


async def test_what_was_approved_and_not_done_is_closed(
    database: Database, shop: Shop, elsewhere: Database
) -> None:
    await fill_every_table(database, shop)
    now = utc_now()
    async with database.service() as connection:
        await connection.execute(
            sa.update(engine_runs)
            .where(engine_runs.c.client_id == shop.client_id)
            .values(status="needs_review")
        )
        await connection.execute(
            sa.update(escalation_tickets)
            .where(escalation_tickets.c.client_id == shop.client_id)
            .values(status="approved", decision="approve", decided_at=now, decided_by="x")
        )
    done = await bring(
        elsewhere,
        tenant := await empty_client(elsewhere),
        await exported(database, shop.client_id),
    )
    assert (done.closed.runs, done.closed.reviews) == (1, 0)
    assert (await only_row(elsewhere, engine_runs))["status"] == "failed"
    assert (await only_row(elsewhere, escalation_tickets))["taken_up_at"] == now
    await _nothing_comes_of_it(elsewhere, tenant)


async def test_a_client_with_records_is_refused(
    database: Database, shop: Shop, elsewhere: Database
) -> None:
    text = await exported(database, shop.client_id)
    await bring(elsewhere, tenant := await empty_client(elsewhere), text)
    with pytest.raises(ClientNotEmpty, match="response_templates"):
        await bring(elsewhere, tenant, text)
    with pytest.raises(ClientNotFound):
        await bring(elsewhere, TenantId(new_ulid()), text)


async def test_a_file_grants_no_plan(database: Database, shop: Shop, elsewhere: Database) -> None:
    """Attack: the owner of a client edits the plan and the trial in the file before an import."""
    tenant = await empty_client(elsewhere)
    before = await only_row(elsewhere, clients, id=tenant)
    file = json.loads(await exported(database, shop.client_id))
    later = (utc_now() + timedelta(days=3650)).isoformat()
    file["client"][0] |= {
        "brand_name": "Renommé",
        "plan": "enterprise",
        "trial_ends_at": later,
        "next_plan": "pro",
        "next_plan_from": later,
        "created_at": "2001-01-01T00:00:00Z",
    }

    await bring(elsewhere, tenant, json.dumps(file))

    after = await only_row(elsewhere, clients, id=tenant)
    assert after == {**before, "brand_name": "Renommé"}


async def test_a_dry_run_keeps_nothing(database: Database, shop: Shop, elsewhere: Database) -> None:
    await fill_every_table(database, shop)
    text = await exported(database, shop.client_id)
    tenant = await empty_client(elsewhere)
    before = await document(elsewhere, tenant)
    done = await bring(elsewhere, tenant, text, dry_run=True)
    assert done.records[Section.ENGINE_RUNS] == 1
    assert await row_count(elsewhere, tenant) == 0
    assert await document(elsewhere, tenant) == before
    await bring(elsewhere, tenant, text)


async def test_days_on_which_nothing_happened_are_no_records(
    database: Database, shop: Shop, elsewhere: Database
) -> None:
    """The nightly schedule computes them for every client, and the file contains them too."""
    await fill_every_table(database, shop)
    text = await exported(database, shop.client_id)
    tenant = await empty_client(elsewhere)
    (day,) = await rows(database, metrics_daily, of=shop)
    async with elsewhere.tenant(tenant) as connection:
        await connection.execute(sa.insert(metrics_daily).values({**day, "client_id": tenant}))
    await bring(elsewhere, tenant, text)
    async with elsewhere.tenant(other := await empty_client(elsewhere)) as connection:
        await connection.execute(
            sa.insert(metrics_daily).values({**day, "client_id": other, "events": 1})
        )
    with pytest.raises(ClientNotEmpty, match="metrics_daily"):
        await bring(elsewhere, other, text)


async def test_more_than_one_statement_takes(
    database: Database, shop: Shop, elsewhere: Database
) -> None:
    now = utc_now()
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.insert(automation_events),
            [
                {
                    "client_id": shop.client_id, "id": f"{number:05}", "event_type": "x" * number,
                    "created_at": now,
                }
                for number in range(1, 2_002)
            ],
        )  # fmt: skip
    tenant = await empty_client(elsewhere)
    await bring(elsewhere, tenant, await exported(database, shop.client_id))
    assert await document(elsewhere, tenant) == await document(database, shop.client_id)

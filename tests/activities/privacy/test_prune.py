"""Texts of webhook deliveries are kept for 30 days; the delivery records are kept permanently."""

from datetime import timedelta

import psycopg
import pytest
import sqlalchemy as sa
from temporalio.testing import ActivityEnvironment

from activities.privacy.prune import Prune
from adapters.system import new_ulid, utc_now
from domain.cases.case_run import KEPT_RUNS, CaseRunState
from domain.core.errors import EngineUnavailable
from domain.identity.invitation import INVITED_FOR
from domain.identity.session import LONGEST
from domain.integrations.integration import COMPLIANCE_REQUESTS_LAST
from domain.integrations.providers import Provider
from domain.privacy.contracts import HousekeepingInput
from domain.webhooks.samples import sample
from domain.widget.widget_session import SESSION_LASTS
from store.cases.tables import case_runs
from store.core.database import Database
from store.core.tables import error_reports
from store.identity.tables import invitations, sessions, sign_in_codes
from store.inbound.endpoints import EndpointRepository, NewEndpoint
from store.inbound.tables import inbound_endpoints, inbound_messages, inbound_webhooks
from store.intake.tables import idempotency_keys
from store.integrations.integrations import IntegrationRepository
from store.integrations.tables import integrations
from store.privacy import prune
from store.simulation.tables import replays
from store.webhooks.outbox import Outbox
from store.webhooks.subscriptions import WebhookChange, WebhookRepository
from store.webhooks.tables import outbox, webhook_deliveries, webhook_misses
from store.widget.tables import widget_codes, widget_sessions
from tests.support.cases.cases import a_case_run
from tests.support.core.postgres import as_owner
from tests.support.core.rows import rows
from tests.support.inbound.stored import listen_to, store_webhook
from tests.support.simulation.replays import a_replay
from tests.support.tenants.shop import Shop
from tests.support.webhooks.webhooks import subscribe
from tests.support.widget.talk import begin

pytestmark = pytest.mark.own_database

DAY = timedelta(days=1)


async def test_old_bodies_are_emptied_and_old_misses_deleted(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prune, "_BATCH", 2)  # several batches
    paused = await subscribe(database, shop)
    await subscribe(database, shop)
    now = utc_now()
    async with database.tenant(shop.tenant) as connection:
        await WebhookRepository(connection, shop.tenant).change(
            paused.id, WebhookChange(pause=True), now
        )
        for age in (29 * DAY, *[31 * DAY] * 5):
            await Outbox(connection, shop.tenant).add(
                sample("ticket.resolved"), dedup_key=new_ulid(), now=now - age, new_id=new_ulid
            )
    step, activity = HousekeepingInput(), Prune(database, lambda: now).prune

    assert (await ActivityEnvironment().run(activity, step)).pruned == 5 + 5
    assert (await ActivityEnvironment().run(activity, step)).pruned == 0

    told = await rows(database, outbox)
    assert sorted(now - one["created_at"] for one in told if one["body"] is None) == [31 * DAY] * 5
    (young,) = [one for one in told if one["body"] is not None]
    assert [miss["event_id"] for miss in await rows(database, webhook_misses)] == [young["id"]]
    # The latest 50 deliveries of a webhook are kept, regardless of their age.
    assert all(one["request_body"] for one in await rows(database, webhook_deliveries))


async def test_a_body_of_thirty_days_is_not_old_yet(database: Database, shop: Shop) -> None:
    now = utc_now()
    async with database.tenant(shop.tenant) as connection:
        await Outbox(connection, shop.tenant).add(
            sample("ticket.resolved"), dedup_key="key", now=now - 30 * DAY, new_id=new_ulid
        )
    step = HousekeepingInput()

    assert (await ActivityEnvironment().run(Prune(database, lambda: now).prune, step)).pruned == 0
    later = now + timedelta(microseconds=1)
    assert (await ActivityEnvironment().run(Prune(database, lambda: later).prune, step)).pruned == 1
    async with database.service() as connection:
        assert await connection.scalar(sa.select(outbox.c.body)) is None


async def test_codes_go_after_a_day_and_sessions_when_none_can_last(
    database: Database, shop: Shop
) -> None:
    now = utc_now()
    code = {"email": "a@b.example", "digest": b"d", "language": "fr", "tries_left": 5}
    session = {"user_id": shop.owner_user_id, "kind": "refresh", "network": "n", "agent": "a"}
    async with database.service() as connection:
        for n, (age_code, age_session) in enumerate(
            [(DAY, 91 * DAY), (DAY + timedelta(seconds=1), 91 * DAY + timedelta(seconds=1))]
        ):
            await connection.execute(
                sa.insert(sign_in_codes).values(id=str(n), created_at=now - age_code, **code)
            )
            made = now - age_session
            await connection.execute(
                sa.insert(sessions).values(
                    id=str(n), digest=bytes([n]), created_at=made, used_at=made, **session
                )
            )

    await ActivityEnvironment().run(Prune(database, lambda: now).prune, HousekeepingInput())

    assert max(LONGEST.values()) < 91 * DAY
    for table in (sign_in_codes, sessions):
        assert [row["id"] for row in await rows(database, table)] == ["0"]


async def test_the_widgets_codes_go_after_a_day_and_unused_sessions_after_sixty(
    database: Database, shop: Shop
) -> None:
    now = utc_now()
    kept = await begin(database, shop, now=now - 60 * DAY)
    old = await begin(database, shop, now=now - 60 * DAY - timedelta(seconds=1))
    code = {
        "client_id": shop.client_id, "email": "a@b.example", "network": "n", "digest": b"d",
        "tries_left": 5,
    }  # fmt: skip
    async with database.service() as connection:
        for n, (session_id, age) in enumerate(
            [(kept, DAY), (kept, DAY + timedelta(seconds=1)), (old, DAY)]
        ):
            row = {"id": str(n), "session_id": session_id, "created_at": now - age}
            await connection.execute(sa.insert(widget_codes).values(**row, **code))

    await ActivityEnvironment().run(Prune(database, lambda: now).prune, HousekeepingInput())

    assert SESSION_LASTS < 60 * DAY
    assert [row["id"] for row in await rows(database, widget_sessions)] == [kept]
    assert [row["id"] for row in await rows(database, widget_codes)] == ["0"]


async def test_invitations_go_after_thirty_days(database: Database, shop: Shop) -> None:
    """Each invitation contains the address of a person who may never have signed up."""
    now = utc_now()
    invitation = {
        "client_id": shop.client_id, "email": "a@b.example", "role": "agent",
        "invited_by": shop.owner_user_id, "language": "fr", "expires_at": now,
    }  # fmt: skip
    async with database.service() as connection:
        for n, age in enumerate((30 * DAY, 30 * DAY + timedelta(seconds=1))):
            await connection.execute(
                sa.insert(invitations).values(id=str(n), created_at=now - age, **invitation)
            )

    await ActivityEnvironment().run(Prune(database, lambda: now).prune, HousekeepingInput())

    assert INVITED_FOR < 30 * DAY
    assert [row["id"] for row in await rows(database, invitations)] == ["0"]


async def test_webhooks_go_when_no_platform_sends_them_again_but_never_one_that_waits(
    database: Database, shop: Shop
) -> None:
    now = utc_now()
    month, older = now - 30 * DAY, now - 30 * DAY - timedelta(seconds=1)
    async with database.tenant(shop.tenant) as connection:
        integration_id = await listen_to(connection, shop.tenant)
        kept, ended, failed, waiting = [
            await store_webhook(connection, shop.tenant, integration_id, b"{}", created_at=at)
            for at in (month, older, older, older)
        ]
        for webhook_id, state in (
            (kept, "done"), (ended, "done"), (failed, "failed"), (waiting, "waiting"),
        ):  # fmt: skip
            await connection.execute(
                sa.update(inbound_webhooks)
                .where(inbound_webhooks.c.id == webhook_id)
                .values(state=state)
            )
        for at in (month, older):
            await connection.execute(
                sa.insert(inbound_messages).values(
                    client_id=shop.client_id,
                    integration_id=integration_id,
                    message_key=f"{at}",
                    webhook_id=kept,
                    created_at=at,
                )
            )

    await ActivityEnvironment().run(Prune(database, lambda: now).prune, HousekeepingInput())

    assert {row["id"] for row in await rows(database, inbound_webhooks)} == {kept, waiting}
    assert [row["created_at"] for row in await rows(database, inbound_messages)] == [month]


async def test_what_finds_a_connection_goes_when_it_takes_no_duties_any_more(
    database: Database, shop: Shop
) -> None:
    now = utc_now()
    old: list[str] = []
    young: list[str] = []
    live: list[str] = []
    for kind, at in (
        (old, now - COMPLIANCE_REQUESTS_LAST - timedelta(seconds=1)),
        (young, now - COMPLIANCE_REQUESTS_LAST),
        (live, None),
    ):  # fmt: skip
        async with database.tenant(shop.tenant) as connection:
            kind.append(await listen_to(connection, shop.tenant, Provider.SHOPIFY))
            repository = IntegrationRepository(connection, shop.tenant)
            await repository.prove(kind[0], "a.myshopify.com")
            endpoint = NewEndpoint(kind[0], kind[0].encode(), "sealed")
            await EndpointRepository(connection, shop.tenant).open(endpoint, now)
            if at is not None:
                await repository.disconnect(kind[0], at, new_ulid)

    await ActivityEnvironment().run(Prune(database, lambda: now).prune, HousekeepingInput())

    assert timedelta(seconds=HousekeepingInput().ended_connections_s) == COMPLIANCE_REQUESTS_LAST
    proved = [row["id"] for row in await rows(database, integrations) if row["proved_account"]]
    assert proved == [*young, *live]
    assert [row["integration_id"] for row in await rows(database, inbound_endpoints)] == proved


async def test_replays_go_after_ninety_days_and_runs_over_cases_beyond_the_latest_fifty(
    database: Database, shop: Shop
) -> None:
    """Runs over cases without a verdict; test_saved_cases.py covers runs with a verdict."""
    now = utc_now()
    kept, old = [await a_replay(database, shop) for _ in range(2)]
    runs = [await a_case_run(database, shop) for _ in range(KEPT_RUNS + 2)]
    unfinished = await a_case_run(database, shop, state=CaseRunState.RUNNING)
    step = HousekeepingInput()
    limit = now - timedelta(seconds=step.replays_s)
    async with database.tenant(shop.tenant) as connection:
        for replay_id, at in ((kept, limit), (old, limit - timedelta(seconds=1))):
            await connection.execute(
                sa.update(replays).where(replays.c.id == replay_id).values(created_at=at)
            )
        await connection.execute(
            sa.update(case_runs)
            .where(case_runs.c.id == unfinished)
            .values(created_at=now - timedelta(days=365))
        )

    pruned = (await ActivityEnvironment().run(Prune(database, lambda: now).prune, step)).pruned

    assert pruned == 1 + 2
    assert [row["id"] for row in await rows(database, replays)] == [kept]
    assert {row["id"] for row in await rows(database, case_runs)} == {*runs[2:], unfinished}


async def test_a_kind_that_cannot_be_pruned_keeps_no_other_from_it(
    database: Database, shop: Shop, database_url: str
) -> None:
    """The keys are locked. The other records are deleted, and the step fails so that it is
    retried."""
    now = utc_now()
    old = {"client_id": shop.client_id, "created_at": now - 31 * DAY}
    async with database.service() as connection:
        await connection.execute(
            sa.insert(idempotency_keys).values(**old, key="k", body_digest=b"", event_id=new_ulid())
        )
        await connection.execute(
            sa.insert(error_reports).values(
                id=new_ulid(), place="p", code="c", created_at=old["created_at"]
            )
        )
    activity = Prune(database, lambda: now).prune
    async with await psycopg.AsyncConnection.connect(as_owner(database_url)) as holder:
        await holder.execute("LOCK TABLE idempotency_keys")
        with pytest.raises(EngineUnavailable):
            await ActivityEnvironment().run(activity, HousekeepingInput())

    assert await rows(database, error_reports) == []
    assert (await ActivityEnvironment().run(activity, HousekeepingInput())).pruned == 1

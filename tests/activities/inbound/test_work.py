"""Webhooks are processed one at a time: each takes effect once and in order, or is visibly
queued."""

from datetime import timedelta
from typing import Any

import pytest
from temporalio.testing import ActivityEnvironment

from adapters.system import utc_now
from domain.core.errors import EngineUnavailable
from domain.inbound.contracts import GiveUpWebhookInput, WebhookWorked
from domain.inbound.inbound_webhook import WaitsFor
from store.core.database import Database
from store.inbound.endpoints import EndpointRepository, NewEndpoint
from store.inbound.tables import inbound_messages
from store.intake.tables import engine_events
from store.integrations.helpdesk_pauses import HelpdeskPauseRepository
from store.runs.tables import engine_runs
from tests.support.core.rows import row_counts, rows
from tests.support.inbound.stored import listen_to, store_webhook
from tests.support.inbound.working import Inbox, worker_on
from tests.support.intake.admission import bought, sent_before, used_before
from tests.support.tenants.shop import Shop
from tests.support.webhooks.told import told_events


@pytest.fixture
async def inbox(database: Database, shop: Shop) -> Inbox:
    async with database.tenant(shop.tenant) as connection:
        integration_id = await listen_to(connection, shop.tenant)
    return Inbox(database, shop, integration_id)


async def test_each_has_its_effect_once_and_the_next_begins(inbox: Inbox) -> None:
    first, second, third = [await inbox.comes() for _ in range(3)]
    assert await inbox.states(first, second, third) == ["working", "queued", "queued"]

    worked = await inbox.work(first)

    assert await inbox.states(first, second, third) == ["done event", "working", "queued"]
    assert worked.next_ids == (second,)
    assert worked.run is not None
    assert worked.run.ref.event_id == (await inbox.row(first))["event_id"]
    counts = await row_counts(inbox.database, of=inbox.shop)
    # An attempt whose result was lost returns the same again, without another effect.
    assert await inbox.work(first) == worked
    assert await row_counts(inbox.database, of=inbox.shop) == counts
    assert len(await rows(inbox.database, engine_runs, of=inbox.shop)) == 1


async def test_a_message_that_came_another_way_is_known(inbox: Inbox) -> None:
    first = await inbox.comes(message_id="m-1")
    second = await inbox.comes(message_id="m-1", customer_email="Ann@x.example")

    await inbox.work(first)
    assert (await inbox.work(second)) == WebhookWorked()
    assert await inbox.states(first, second) == ["done event", "done known"]
    # An erasure finds the row by this value.
    assert (await inbox.row(second))["customer_key"] == "ann@x.example"
    assert len(await rows(inbox.database, engine_events, of=inbox.shop)) == 1


async def test_the_clients_limit_stops_the_lane_until_there_is_room(inbox: Inbox) -> None:
    now = utc_now()
    await sent_before(inbox.database, inbox.shop, 200, at=now - timedelta(minutes=59))
    first, second = await inbox.comes(), await inbox.comes()

    worked = await inbox.work(first)

    assert (worked.waits_for, worked.next_ids) == (WaitsFor.CLIENT_LIMIT, ())
    assert 0 < worked.wait_s <= 60
    assert await inbox.states(first, second) == ["waiting client_limit", "queued"]
    assert await rows(inbox.database, inbound_messages, of=inbox.shop) == []
    assert await rows(inbox.database, engine_events, id=first) == []
    later = now + timedelta(seconds=worked.wait_s + 1)
    assert (await inbox.work(first, lambda: later)).next_ids == (second,)
    assert await inbox.states(first, second) == ["done event", "working"]


async def test_a_customers_limit_holds_up_that_customer_alone_and_in_order(inbox: Inbox) -> None:
    now = utc_now()
    eager = {"customer_email": "a@b.example"}
    await sent_before(
        inbox.database,
        inbox.shop,
        10,
        customer="a@b.example",
        claimed=True,
        at=now - timedelta(minutes=9),
    )
    first, second = await inbox.comes(**eager), await inbox.comes(**eager)
    other = await inbox.comes(customer_email="c@d.example")

    assert (await inbox.work(first)).next_ids == (second,)
    # Capacity is available again, but the message does not overtake.
    later = now + timedelta(minutes=2)
    assert (await inbox.work(second, lambda: later)).next_ids == (other,)
    await inbox.work(other, lambda: later)

    waiting = "waiting customer_limit"
    assert await inbox.states(first, second, other) == [waiting, waiting, "done event"]
    await inbox.work(first, lambda: later)
    await inbox.work(second, lambda: later)
    assert await inbox.states(first, second) == ["done event", "done event"]


async def test_a_used_up_quota_is_waited_for_and_told_once(inbox: Inbox) -> None:
    now = utc_now()
    await used_before(inbox.database, inbox.shop, 1_000_000, now)
    first, second = await inbox.comes(), await inbox.comes()

    for _ in range(2):
        worked = await inbox.work(first)
        assert (worked.waits_for, worked.wait_s) == (WaitsFor.QUOTA, 300)

    assert await inbox.states(first, second) == ["waiting quota", "queued"]
    events = await told_events(inbox.database, of=inbox.shop)
    reached = [one.data["threshold"] for one in events if one.event == "usage.threshold_reached"]
    assert reached
    assert len(reached) == len(set(reached))
    await bought(inbox.database, inbox.shop, 2)
    assert (await inbox.work(first)).next_ids == (second,)
    await inbox.work(second)
    assert await inbox.states(first, second) == ["done event", "done event"]


async def test_a_ticket_that_a_person_has_is_left_to_them(inbox: Inbox) -> None:
    now = utc_now()
    async with inbox.database.tenant(inbox.shop.tenant) as connection:
        await HelpdeskPauseRepository(connection, inbox.shop.tenant).pause(
            inbox.integration_id, "7", message_id="1", now=now, until=now + timedelta(hours=1)
        )
    first = await inbox.comes(ticket_id="7")

    assert (await inbox.work(first)).run is None
    assert await inbox.states(first) == ["done left_to_people"]
    assert await rows(inbox.database, engine_events, of=inbox.shop) == []


async def test_what_cannot_be_read_fails_and_holds_up_nobody(inbox: Inbox) -> None:
    async with inbox.database.tenant(inbox.shop.tenant) as connection:
        first = await store_webhook(connection, inbox.shop.tenant, inbox.integration_id, b"{")
    second = await inbox.comes()

    assert (await inbox.work(first)).next_ids == (second,)

    assert (await inbox.row(first))["reason"]
    assert await inbox.states(first, second) == ["failed", "working"]


async def test_what_fails_for_good_is_given_up_and_the_lane_goes_on(inbox: Inbox) -> None:
    first, second = await inbox.comes(), await inbox.comes()
    activity = worker_on(inbox.database, inbox.starts)
    step = GiveUpWebhookInput(ref=inbox.step(first).ref, code="KeyError")

    given_up = await ActivityEnvironment().run(activity.give_up, step)

    assert given_up == WebhookWorked(next_ids=(second,))
    assert await ActivityEnvironment().run(activity.give_up, step) == given_up
    assert (await inbox.row(first))["reason"] == "KeyError"
    assert await inbox.states(first, second) == ["failed", "working"]


async def test_a_commit_that_fails_leaves_nothing(
    inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await inbox.comes()
    before = await row_counts(inbox.database, of=inbox.shop)

    async def away(*_: object) -> None:
        raise EngineUnavailable("away")

    monkeypatch.setattr("activities.inbound.work.end_turn", away)
    with pytest.raises(EngineUnavailable):
        await inbox.work(first)

    assert await row_counts(inbox.database, of=inbox.shop) == before
    assert await inbox.states(first) == ["working"]


async def test_a_message_that_waits_for_a_claims_limit_holds_up_no_proof(inbox: Inbox) -> None:
    now = utc_now()
    async with inbox.database.tenant(inbox.shop.tenant) as connection:
        endpoint = NewEndpoint(inbox.integration_id, inbox.integration_id.encode(), "sealed")
        await EndpointRepository(connection, inbox.shop.tenant).open(endpoint, now)
    claimed: dict[str, Any] = {"customer_email": "a@b.example", "customer_verified": False}
    await sent_before(inbox.database, inbox.shop, 10, customer="a@b.example", claimed=True, at=now)
    first = await inbox.comes(**claimed)
    proof = await inbox.comes(customer_email="a@b.example", customer_verified=True)
    second = await inbox.comes(**claimed)

    for one in (first, proof, second):
        await inbox.work(one)

    waiting = "waiting customer_limit"
    assert await inbox.states(first, proof, second) == [waiting, "done event", waiting]

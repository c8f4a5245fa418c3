"""Queued messages from unverified senders do not delay verified ones, and keep their order."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from adapters.system import utc_now
from domain.inbound.inbound_webhook import WaitsFor
from domain.inbound.kept_bytes import MIDDLE
from domain.intake.unproved_share import MESSAGES, SENDER, SPACING
from domain.integrations.providers import Provider
from domain.tenants.client import Plan
from services.inbound import tickets
from services.intake import shares
from store.core.database import Database
from store.inbound.endpoints import EndpointRepository, NewEndpoint
from store.playbooks.playbooks import PlaybookRepository
from tests.support.core.rows import row_counts
from tests.support.inbound.stored import listen_to
from tests.support.inbound.working import Inbox
from tests.support.intake.admission import on_plan, sent_before, try_to_admit
from tests.support.tenants.shop import Shop

WAITING = "waiting unproved_limit"


@pytest.fixture
async def inbox(database: Database, shop: Shop) -> Inbox:
    """Return an inbox that verifies senders. Its limit for unverified senders was reached a minute
    ago."""
    now = utc_now()
    async with database.tenant(shop.tenant) as connection:
        integration_id = await listen_to(connection, shop.tenant)
        endpoint = NewEndpoint(integration_id, integration_id.encode(), "sealed")
        await EndpointRepository(connection, shop.tenant).open(endpoint, now)
    at = now - timedelta(minutes=1)
    await sent_before(database, shop, MESSAGES, claimed=True, received_by=Provider.POSTMARK, at=at)
    return Inbox(database, shop, integration_id)


def of(name: str, *, proved: bool = False) -> Mapping[str, Any]:
    return {"customer_email": f"{name}@x.example", "customer_verified": proved}


async def test_proofs_pass_a_flood_and_nothing_of_it_is_lost(inbox: Inbox) -> None:
    first, second = await inbox.comes(**of("a")), await inbox.comes(**of("b"))
    proof, last = await inbox.comes(**of("a", proved=True)), await inbox.comes(**of("c"))

    worked = await inbox.work(first)
    assert (worked.waits_for, worked.next_ids) == (WaitsFor.UNPROVED_LIMIT, (second,))
    behind = await inbox.work(second)
    assert behind.wait_s == pytest.approx(worked.wait_s + SPACING.total_seconds(), abs=30)
    await inbox.work(proof)
    await inbox.work(last)

    assert await inbox.states(first, second, proof, last) == [
        WAITING, WAITING, "done event", WAITING,
    ]  # fmt: skip
    await try_to_admit(inbox.database, inbox.shop)

    later = utc_now() + timedelta(hours=1)
    # Capacity is available again, but no message overtakes another.
    assert (await inbox.work(last, lambda: later)).waits_for is WaitsFor.UNPROVED_LIMIT
    for one in (first, second, last):
        await inbox.work(one, lambda: later)
    assert await inbox.states(first, second, last) == ["done event"] * 3


async def test_what_a_proved_sender_sends_beyond_its_room_waits_with_the_flood(
    inbox: Inbox,
) -> None:
    at = utc_now() - timedelta(hours=2)
    await sent_before(
        inbox.database,
        inbox.shop,
        SENDER.messages,
        customer="a@x.example",
        received_by=Provider.POSTMARK,
        at=at,
    )
    claim, beyond = await inbox.comes(**of("a")), await inbox.comes(**of("b", proved=True))
    other = await inbox.comes(customer_email="a@y.example", customer_verified=True)

    for one in (claim, beyond, other):
        await inbox.work(one)

    assert await inbox.states(claim, beyond, other) == [WAITING, WAITING, "done event"]


async def test_a_flood_that_waits_has_an_end(inbox: Inbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """A message from an unverified sender is dropped if the queue is full. Queued messages keep
    their position."""
    monkeypatch.setattr(tickets, "UNPROVED_WAITING", 2)
    with_photo = await inbox.comes(**of("photo"), photo="x" * MIDDLE)
    waiting = [await inbox.comes(**of(f"a{number}")) for number in range(2)]
    dropped, proof = await inbox.comes(**of("b")), await inbox.comes(**of("c", proved=True))

    for one in (with_photo, *waiting, dropped, proof, *waiting):
        await inbox.work(one)

    assert await inbox.states(with_photo, dropped) == ["done no_room"] * 2
    assert await inbox.states(*waiting, proof) == [WAITING, WAITING, "done event"]
    assert (await inbox.row(dropped))["body"] is None
    assert (await inbox.row(dropped))["customer_key"] == "b@x.example"


async def test_what_no_playbook_wants_is_not_kept_beyond_its_room(
    inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The webhook completes normally, and states why its event was not stored."""
    async with inbox.database.tenant(inbox.shop.tenant) as connection:
        playbooks = PlaybookRepository(connection, inbox.shop.tenant)
        await playbooks.switch(inbox.shop.playbook_id, active=False)
    monkeypatch.setattr(shares, "ROOM", 1)
    first, second = [await inbox.comes(**of(name, proved=True)) for name in ("a", "b")]
    await inbox.work(first)
    before = await row_counts(inbox.database, of=inbox.shop)
    await inbox.work(second)

    assert await inbox.states(first, second) == ["done no_playbook"] * 2
    row = await inbox.row(second)
    assert (row["reason"], row["event_id"]) == ("event_room_used", None)
    after = await row_counts(inbox.database, of=inbox.shop)
    assert after["engine_events"] == before["engine_events"]


async def test_without_a_plan_what_a_playbook_wants_waits_for_the_room(
    inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message is retried every few minutes, because a paid plan provides storage at once."""
    await on_plan(inbox.database, inbox.shop, Plan.FREE)
    first, second = [await inbox.comes(**of(name, proved=True)) for name in ("a", "b")]
    await inbox.work(first)
    monkeypatch.setattr(shares, "ROOM", 1)

    worked = await inbox.work(second)

    assert (worked.waits_for, worked.wait_s) == (WaitsFor.CLIENT_LIMIT, 300)
    await on_plan(inbox.database, inbox.shop, Plan.STARTER)
    await inbox.work(second)
    assert await inbox.states(first, second) == ["done event"] * 2

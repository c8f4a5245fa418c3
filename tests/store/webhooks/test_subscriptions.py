"""Webhooks: created, changed, paused, enabled, rotated, deleted, by their own tenant only."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from adapters.system import new_ulid, utc_now
from domain.webhooks.errors import TooManyWebhooks, WebhookNotFound
from domain.webhooks.webhook import MAX_WEBHOOKS, DisabledReason, RetryPolicy, Webhook
from store.core.database import Database
from store.webhooks.subscriptions import NewWebhook, WebhookChange, WebhookRepository, client_of
from store.webhooks.tables import webhook_deliveries
from tests.support.core.rows import rows
from tests.support.tenants.shop import open_shop
from tests.support.webhooks.deliveries import BROKEN, Hooks
from tests.support.webhooks.webhooks import SEALER, URL, subscribe


@pytest.fixture
async def theirs(database: Database) -> Hooks:
    return Hooks(database, await open_shop(database))


async def create(mine: Hooks, **changed: str) -> Webhook:
    values: dict[str, Any] = {"id": new_ulid(), "label": "ERP", "url": URL, **changed}
    values.setdefault("secret_sealed", "SEALED")
    async with mine.connection() as connection:
        return await WebhookRepository(connection, mine.shop.tenant).create(
            NewWebhook(**values, events=("*",), retry_policy=RetryPolicy.NONE), utc_now()
        )


async def everything(mine: Hooks) -> tuple[Webhook, ...]:
    async with mine.connection() as connection:
        return await WebhookRepository(connection, mine.shop.tenant).all()


async def test_a_new_one(mine: Hooks) -> None:
    made = await create(mine)
    assert made.is_active
    assert (made.label, made.url, made.events) == ("ERP", URL, ("*",))
    assert (made.failure_count, made.missed, made.disabled_at) == (0, 0, None)
    second = await create(mine)
    assert await everything(mine) == (made, second)


async def test_a_client_has_a_hundred_at_most(mine: Hooks) -> None:
    for _ in range(MAX_WEBHOOKS - 1):
        await create(mine)
    answers = await asyncio.gather(*(create(mine) for _ in range(4)), return_exceptions=True)
    assert sum(isinstance(answer, TooManyWebhooks) for answer in answers) == 3
    assert len(await everything(mine)) == MAX_WEBHOOKS


async def test_what_is_changed_and_what_is_left(mine: Hooks) -> None:
    made = await create(mine)
    webhook_id = made.id
    async with mine.connection() as connection:
        webhooks = WebhookRepository(connection, mine.shop.tenant)
        assert await webhooks.change(webhook_id, WebhookChange(), utc_now()) == made
        changed = await webhooks.change(
            webhook_id,
            WebhookChange(
                label="CRM",
                url="https://crm.example.com/",
                events=("ticket.resolved",),
                retry_policy=RetryPolicy.STANDARD,
                once_per_ticket=True,
            ),
            utc_now(),
        )
    assert changed == made.model_copy(
        update={
            "label": "CRM",
            "url": "https://crm.example.com/",
            "events": ("ticket.resolved",),
            "retry_policy": RetryPolicy.STANDARD,
            "once_per_ticket": True,
        }
    )


async def test_paused_and_enabled(mine: Hooks) -> None:
    webhook = await mine.subscribe()
    await mine.told_and_sent(BROKEN, 3)
    now = utc_now()
    async with mine.connection() as connection:
        webhooks = WebhookRepository(connection, mine.shop.tenant)
        paused = await webhooks.change(webhook.id, WebhookChange(pause=True), now)
        again = await webhooks.change(
            webhook.id, WebhookChange(pause=True), now + timedelta(hours=1)
        )
        renamed = await webhooks.change(webhook.id, WebhookChange(label="CRM"), now)
        enabled = await webhooks.enable(webhook.id)
    assert not paused.is_active
    assert (paused.disabled_at, paused.disabled_reason) == (now, DisabledReason.MANUAL)
    assert again == paused, "it has been so since then"
    assert renamed == paused.model_copy(update={"label": "CRM"})
    assert (enabled.is_active, enabled.failure_count) == (True, 0)
    assert (enabled.disabled_at, enabled.disabled_reason) == (None, None)


async def test_a_pause_keeps_the_reason_for_which_it_is_disabled(mine: Hooks) -> None:
    webhook = await mine.subscribe()
    await mine.told_and_sent(BROKEN, 20)
    disabled = await mine.seen(webhook)
    await mine.pause(webhook)
    assert await mine.seen(webhook) == disabled
    assert disabled.disabled_reason is DisabledReason.FAILURES


async def test_enabling_what_is_active_forgets_its_failures(mine: Hooks) -> None:
    webhook = await mine.subscribe()
    await mine.told_and_sent(BROKEN, 3)
    assert (await mine.enable(webhook)).failure_count == 0


async def test_a_secret_before_the_last_signs_no_more(mine: Hooks) -> None:
    webhook_id = (await create(mine, secret_sealed="1")).id
    now = utc_now()
    soon, later = now + timedelta(hours=1), now + timedelta(hours=2)
    async with mine.connection() as connection:
        webhooks = WebhookRepository(connection, mine.shop.tenant)
        assert await webhooks.sealed_secrets(webhook_id, now) == ("1",)
        await webhooks.rotate(webhook_id, "2", previous_until=soon)
        assert await webhooks.sealed_secrets(webhook_id, now) == ("2", "1")
        assert await webhooks.sealed_secrets(webhook_id, soon) == ("2",)
        assert (await webhooks.read(webhook_id)).previous_secret_until == soon
        await webhooks.rotate(webhook_id, "3", previous_until=later)
        assert await webhooks.sealed_secrets(webhook_id, now) == ("3", "2")
        await webhooks.rotate(webhook_id, "4", previous_until=None)
        assert await webhooks.sealed_secrets(webhook_id, now) == ("4",)
        assert (await webhooks.read(webhook_id)).previous_secret_until is None


async def test_a_try_is_signed_with_the_secrets_of_its_time(mine: Hooks) -> None:
    webhook = await subscribe(mine.database, mine.shop)
    (delivery_id,) = await mine.tell()
    (first,) = (await mine.begun(delivery_id)).sealed_secrets
    assert SEALER.unseal(first).endswith(webhook.secret)
    for until, secrets in (
        (utc_now() + timedelta(hours=1), ("NEW", first)),
        (utc_now() - timedelta(hours=1), ("NEW",)),
    ):
        async with mine.connection() as connection:
            webhooks = WebhookRepository(connection, mine.shop.tenant)
            await webhooks.rotate(webhook.id, first, previous_until=None)
            await webhooks.rotate(webhook.id, "NEW", previous_until=until)
        assert (await mine.begun(delivery_id)).sealed_secrets == secrets


async def test_deleted_with_its_deliveries(mine: Hooks) -> None:
    webhook = await mine.subscribe()
    await mine.told_and_sent(BROKEN, 2)
    await mine.tell()
    await mine.delete(webhook)
    assert await everything(mine) == ()
    assert await rows(mine.database, webhook_deliveries, of=mine.shop) == []
    assert await mine.tell() == ()
    with pytest.raises(WebhookNotFound):
        await mine.delete(webhook)


async def test_an_event_at_the_moment_of_a_deletion_is_told_to_the_others(mine: Hooks) -> None:
    """A concurrent deletion does not make the event's transaction fail."""
    kept = await mine.subscribe()
    for _ in range(5):
        gone = await mine.subscribe()
        told, _ = await asyncio.gather(mine.tell(), mine.delete(gone))
        assert len(told) in {1, 2}
    assert len(await mine.listed(kept)) == 5


async def test_whose_webhook_it_is(mine: Hooks, theirs: Hooks) -> None:
    made = await create(theirs)
    await create(mine)
    async with mine.database.service() as connection:
        assert await client_of(connection, made.id) == theirs.shop.client_id
        with pytest.raises(WebhookNotFound):
            await client_of(connection, new_ulid())


async def test_of_another_tenant_nothing_is_found(mine: Hooks, theirs: Hooks) -> None:
    made = await create(theirs)
    async with mine.connection() as connection:
        webhooks = WebhookRepository(connection, mine.shop.tenant)
        for asked in (
            webhooks.read(made.id),
            webhooks.change(made.id, WebhookChange(label="x"), utc_now()),
            webhooks.delete(made.id),
            webhooks.rotate(made.id, "x", previous_until=None),
            webhooks.enable(made.id),
            webhooks.sealed_secrets(made.id, utc_now()),
        ):
            with pytest.raises(WebhookNotFound):
                await asked
        assert await webhooks.all() == ()
    assert await everything(theirs) == (made,)

"""Replay scenarios for inbound webhooks."""

from datetime import timedelta

import sqlalchemy as sa

from adapters.system import utc_now
from domain.core.names import RECONCILE_INBOUND, process_webhook_id
from domain.inbound.polling import PollInput
from store.inbound.tables import inbound_webhooks
from store.runs.tables import engine_messages
from tests.replay.scenarios import Scenario
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.core.waiting import eventually
from tests.support.inbound.stored import listen_to
from tests.support.inbound.working import Inbox
from tests.support.intake.admission import sent_before
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import Shop


async def _inbox(engine: LiveEngine, shop: Shop) -> Inbox:
    async with engine.database.tenant(shop.tenant) as connection:
        return Inbox(engine.database, shop, await listen_to(connection, shop.tenant))


async def _ended(engine: LiveEngine, inbox: Inbox, webhook_id: str) -> str:
    """Wait until a webhook's workflow has ended; return it."""
    await engine.engine.process_webhook(inbox.step(webhook_id))
    workflow_id = process_webhook_id(inbox.shop.client_id, webhook_id)
    await engine.client.get_workflow_handle(workflow_id).result()
    return workflow_id


async def webhook_taken(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    """The webhook becomes a run, and the next one starts."""
    inbox = await _inbox(engine, shop)
    first, _second = await inbox.comes(), await inbox.comes()
    return await _ended(engine, inbox, first)


async def webhook_waited(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    """The client's limit defers the webhook, until a user has it retried."""
    inbox = await _inbox(engine, shop)
    await sent_before(engine.database, shop, 200, at=utc_now() - timedelta(minutes=10))
    first = await inbox.comes()
    await engine.engine.process_webhook(inbox.step(first))

    async def waits() -> bool:
        return bool(await rows(engine.database, inbound_webhooks, state="waiting"))

    await eventually(waits)
    async with engine.database.service() as connection:
        await connection.execute(
            sa.update(engine_messages).values(created_at=utc_now() - timedelta(hours=2))
        )
    await engine.engine.process_webhook(inbox.step(first), wake=True)
    workflow_id = process_webhook_id(shop.client_id, first)
    await engine.client.get_workflow_handle(workflow_id).result()
    return workflow_id


async def webhook_given_up(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    """No installed version knows its provider."""
    inbox = await _inbox(engine, shop)
    first = await inbox.comes()
    async with engine.database.service() as connection:
        await connection.execute(sa.update(inbound_webhooks).values(provider="martian"))
    return await _ended(engine, inbox, first)


async def reconciled(engine: LiveEngine, _: Shop, __: MailServer) -> str:
    """No connection can be polled."""
    await engine.client.execute_workflow(
        RECONCILE_INBOUND, PollInput(), id="reconciled", task_queue="engine"
    )
    return "reconciled"


INBOUND_SCENARIOS: dict[str, Scenario] = {
    scenario.__name__: scenario
    for scenario in (webhook_taken, webhook_waited, webhook_given_up, reconciled)
}

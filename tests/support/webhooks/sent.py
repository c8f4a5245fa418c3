"""The results of a delivery: its record, its emails and its workflow's result."""

from email.message import EmailMessage
from typing import Any

from temporalio.service import RPCError

from store.webhooks.tables import webhook_subscriptions
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.core.waiting import eventually
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import Shop
from tests.support.webhooks.webhook_engine import delivery_of, ended
from tests.support.webhooks.webhooks import tell


async def send(engine: LiveEngine, shop: Shop) -> str:
    """Create an event and send it. Returns the delivery's id."""
    (delivery_id,) = await tell(engine.database, shop)
    await engine.engine.send_webhooks(shop.client_id, [delivery_id])
    return delivery_id


async def sent(engine: LiveEngine, shop: Shop) -> dict[str, Any]:
    """Create an event and send it. Returns the delivery's final record."""
    return await ended(engine, await send(engine, shop))


async def subscription(engine: LiveEngine) -> dict[str, Any]:
    return await only_row(engine.database, webhook_subscriptions)


def mails_to_owner(mail: MailServer, shop: Shop) -> list[EmailMessage]:
    """Return the emails to the owner. The server is shared, so it may contain another test's late
    email."""
    owner = f"{shop.client_id.lower()}@example.com"
    return [one for one in mail.mails if one["To"] == owner]


async def mailed(mail: MailServer, shop: Shop, count: int) -> list[str]:
    """Wait until the shop's owner has this many emails, and return their subjects."""

    async def arrived() -> list[str] | None:
        subjects = [one["Subject"] for one in mails_to_owner(mail, shop)]
        return subjects if len(subjects) >= count else None

    return await eventually(arrived)


async def result_of(engine: LiveEngine, shop: Shop, delivery_id: str) -> dict[str, str]:
    """Wait for the delivery's workflow, and return its result."""
    run = delivery_of(engine, shop, delivery_id)

    async def begun() -> bool:
        try:
            await run.describe()
        except RPCError:
            return False
        return True

    await eventually(begun)
    result: dict[str, str] = await run.result()
    return result

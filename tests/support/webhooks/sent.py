"""What becomes of a delivery that a worker sends: its record, its mails, its workflow's end."""

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
    """Let something happen, and have it sent. The delivery's id."""
    (delivery_id,) = await tell(engine.database, shop)
    await engine.engine.send_webhooks(shop.client_id, [delivery_id])
    return delivery_id


async def sent(engine: LiveEngine, shop: Shop) -> dict[str, Any]:
    """The same, and its record when it has ended."""
    return await ended(engine, await send(engine, shop))


async def subscription(engine: LiveEngine) -> dict[str, Any]:
    return await only_row(engine.database, webhook_subscriptions)


async def mailed(mail: MailServer, count: int) -> list[str]:
    """The subjects, as soon as there are so many mails."""

    async def arrived() -> list[str] | None:
        return [one["Subject"] for one in mail.mails] if len(mail.mails) >= count else None

    return await eventually(arrived)


async def result_of(engine: LiveEngine, shop: Shop, delivery_id: str) -> dict[str, str]:
    """What the delivery's workflow ends with, once it has begun."""
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

"""What becomes of a delivery that a worker sends: its record, its mails, its workflow's end."""

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
    """Let something happen, and have it sent. The delivery's id."""
    (delivery_id,) = await tell(engine.database, shop)
    await engine.engine.send_webhooks(shop.client_id, [delivery_id])
    return delivery_id


async def sent(engine: LiveEngine, shop: Shop) -> dict[str, Any]:
    """The same, and its record when it has ended."""
    return await ended(engine, await send(engine, shop))


async def subscription(engine: LiveEngine) -> dict[str, Any]:
    return await only_row(engine.database, webhook_subscriptions)


def mails_to_owner(mail: MailServer, shop: Shop) -> list[EmailMessage]:
    """The server is shared: a late mail of another test may be there too."""
    owner = f"{shop.client_id.lower()}@example.com"
    return [one for one in mail.mails if one["To"] == owner]


async def mailed(mail: MailServer, shop: Shop, count: int) -> list[str]:
    """The subjects, as soon as the shop's owner has so many mails."""

    async def arrived() -> list[str] | None:
        subjects = [one["Subject"] for one in mails_to_owner(mail, shop)]
        return subjects if len(subjects) >= count else None

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

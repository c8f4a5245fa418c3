"""Steps of the delivery machine in several transactions, or in concurrent ones."""

import asyncio
from collections.abc import Mapping

import sqlalchemy as sa

from domain.webhooks.contracts import DeliverResult
from domain.webhooks.delivery import DeliveryAttempt
from store.webhooks.deliveries import Outgoing
from store.webhooks.tables import outbox
from tests.support.core.rows import rows
from tests.support.webhooks.deliveries import Hooks


async def tell(hooks: Hooks) -> tuple[tuple[str, ...], str]:
    """Create an event. Returns its deliveries and its id."""
    before = await rows(hooks.database, outbox, client_id=hooks.shop.client_id)
    deliveries = await hooks.tell()
    after = await rows(hooks.database, outbox, client_id=hooks.shop.client_id)
    (event_id,) = {row["id"] for row in after} - {row["id"] for row in before}
    return deliveries, event_id


async def finish_at_once(
    hooks: Hooks,
    times: int,
    outgoing: Outgoing,
    attempt: int,
    done: DeliveryAttempt,
    *,
    retry_in_s: float | None,
) -> list[DeliverResult]:
    """Record the same attempt several times concurrently."""
    return await asyncio.gather(
        *(
            hooks.finish(outgoing, done, attempt=attempt, retry_in_s=retry_in_s)
            for _ in range(times)
        )
    )


async def send_all(
    hooks: Hooks, waiting: Mapping[str, int], done: DeliveryAttempt
) -> list[DeliverResult]:
    """Send these deliveries concurrently. `waiting` is the number of each one's next attempt.

    All start before one has ended, as in the model.
    """
    begun = [(await hooks.begin(one, attempt), attempt) for one, attempt in waiting.items()]
    return await asyncio.gather(*(_end(hooks, one, attempt, done) for one, attempt in begun))


async def _end(
    hooks: Hooks, begun: Outgoing | DeliverResult, attempt: int, done: DeliveryAttempt
) -> DeliverResult:
    if isinstance(begun, DeliverResult):
        return begun
    return await hooks.finish(begun, done, attempt=attempt)


async def forget_body(hooks: Hooks, event_id: str) -> None:
    async with hooks.connection() as connection:
        await connection.execute(sa.update(outbox).where(outbox.c.id == event_id).values(body=None))

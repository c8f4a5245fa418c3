"""The sweep that starts due deliveries that no workflow is sending."""

from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import timedelta
from typing import Final

from temporalio import activity

from activities.runtime.one_by_one import Tally
from domain.core import names
from domain.core.ports import Clock
from domain.runs.contracts import SweepInput, SweepResult
from domain.runs.ports import Engine
from store.core.database import Database
from store.webhooks.delivery_sweep import LeftPending, deliveries_left_pending

BATCH: Final = 1_000
MOST: Final = 500
"""Maximum number of deliveries per client that a sweep starts. Most pending deliveries already have
a workflow that waits for a slot (`activities/webhooks/delivery_limiter.py`). Checking all of them
would burden Temporal more than sending them."""


class SweepDeliveries:
    """The activity that starts deliveries without a workflow. `randomness`: returns a random number
    from 0 to 1, used to choose deliveries if a client has more than MOST."""

    def __init__(
        self, database: Database, engine: Engine, now: Clock, randomness: Callable[[], float]
    ) -> None:
        self._database = database
        self._engine = engine
        self._now = now
        self._chance = randomness

    @activity.defn(name=names.SWEEP_DELIVERIES)
    async def send_left(self, step: SweepInput) -> SweepResult:
        """Start the workflows of overdue deliveries that have not ended. Idempotency key: each
        workflow's id."""
        before = self._now() - timedelta(seconds=step.older_than_s)
        chosen = _Chosen(self._chance)
        last: LeftPending | None = None
        while True:
            async with self._database.service() as connection:
                page = await deliveries_left_pending(
                    connection, before=before, after=last, limit=BATCH
                )
            if not page:
                break
            for one in page:
                chosen.add(one)
            activity.heartbeat()
            last = page[-1]
        tally = Tally("failed to start webhook deliveries")
        for client_id, deliveries in chosen.by_client.items():
            await tally.add(self._send(client_id, deliveries), client_id=client_id)
            activity.heartbeat()
        tally.check()
        return tally.result

    async def _send(self, client_id: str, deliveries: list[str]) -> int:
        await self._engine.send_webhooks(client_id, deliveries)
        return len(deliveries)


class _Chosen:
    """A random sample of up to MOST deliveries per client. All deliveries have the same probability
    of being chosen, so that every lost delivery is eventually chosen."""

    def __init__(self, randomness: Callable[[], float]) -> None:
        self.by_client: dict[str, list[str]] = defaultdict(list)
        self._chance = randomness
        self._seen: Counter[str] = Counter()

    def add(self, one: LeftPending) -> None:
        kept = self.by_client[one.client_id]
        self._seen[one.client_id] += 1
        if len(kept) < MOST:
            kept.append(one.delivery_id)
        elif (place := int(self._chance() * self._seen[one.client_id])) < MOST:
            kept[place] = one.delivery_id

"""Sweep deliveries: have sent what nobody sends."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from temporalio import activity

from domain import names
from domain.contracts import SweepInput, SweepResult
from domain.ports import Clock, Engine
from store.database import Database
from store.delivery_repository import LeftPending, deliveries_left_pending

_BATCH: Final = 200


class SweepDeliveries:
    def __init__(self, database: Database, engine: Engine, now: Clock) -> None:
        self._database = database
        self._engine = engine
        self._now = now

    @activity.defn(name=names.SWEEP_DELIVERIES)
    async def send_left(self, step: SweepInput) -> SweepResult:
        """Start the workflows of deliveries that were due and have not ended.

        Idempotency key: each workflow's id; a delivery that is under way is left alone.
        """
        before = self._now() - timedelta(seconds=step.older_than_s)
        swept, last = 0, None
        while True:
            async with self._database.service() as connection:
                page = await deliveries_left_pending(
                    connection, before=before, after=last, limit=_BATCH
                )
            if not page:
                return SweepResult(picked_up=swept)
            for client_id, deliveries in _by_client(page).items():
                await self._engine.send_webhooks(client_id, deliveries)
                activity.heartbeat()
            swept, last = swept + len(page), page[-1]


def _by_client(page: Sequence[LeftPending]) -> dict[str, list[str]]:
    deliveries: dict[str, list[str]] = defaultdict(list)
    for one in page:
        deliveries[one.client_id].append(one.delivery_id)
    return deliveries

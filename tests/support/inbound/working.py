"""Processing of stored webhooks without Temporal. Workflow starts are recorded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

import orjson
from temporalio.testing import ActivityEnvironment

from activities.inbound.work import WorkOnWebhook
from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from domain.core.contracts import BackgroundRef, RunRef
from domain.core.ports import Clock
from domain.inbound.contracts import ProcessWebhookInput, WebhookRef, WebhookWorked
from domain.inbound.platform_catalogue import PLATFORMS
from domain.inbound.ports import Platform
from domain.integrations.providers import Provider
from domain.privacy.contracts import EraseInput
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitsOfWork
from services.inbound.effects import Doer
from store.core.database import Database
from store.inbound.tables import inbound_webhooks
from tests.support.core.rows import only_row
from tests.support.inbound.stored import store_webhook
from tests.support.tenants.shop import Shop

SERVICE_ADDRESS: Final = "service@platform.example"
_STANDING: Final = ("state", "waits_for", "outcome")


@dataclass
class NotedStarts:
    """A recorder of the workflow starts after a commit."""

    erased: list[EraseInput] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)

    async def wake(self, ref: RunRef, escalation_id: str) -> bool:  # noqa: ARG002 - the port's
        return True

    async def begin(self, workflow: str, work: BackgroundRef) -> bool:
        raise AssertionError(workflow, work)

    async def send_webhooks(self, client_id: str, delivery_ids: Sequence[str]) -> None:  # noqa: ARG002
        self.sent += delivery_ids

    async def start_erasure(self, erase: EraseInput) -> None:
        self.erased.append(erase)


def worker_on(
    database: Database,
    starts: NotedStarts,
    *,
    now: Clock = utc_now,
    platforms: Mapping[Provider, Platform] = PLATFORMS,
) -> WorkOnWebhook:
    sealer = FernetSealer(new_seal_key())
    return WorkOnWebhook(
        UnitsOfWork(database, starts, now, new_ulid),
        Doer(
            Actor.system("inbound"),
            sealer,
            now,
            timedelta(hours=72),
            service_address=SERVICE_ADDRESS,
        ),
        platforms=platforms,
        erasures=starts,
    )


@dataclass
class Inbox:
    """A client's webhooks in the generic form, received and processed one by one."""

    database: Database
    shop: Shop
    integration_id: str
    starts: NotedStarts = field(default_factory=NotedStarts)

    async def comes(self, message: str = "hello", **more: Any) -> str:
        """Receive a ticket in the gateway's format, and return its row's id."""
        body = orjson.dumps({"message": message, "event_type": "x", **more})
        async with self.database.tenant(self.shop.tenant) as connection:
            return await store_webhook(connection, self.shop.tenant, self.integration_id, body)

    async def work(self, webhook_id: str, now: Clock = utc_now) -> WebhookWorked:
        activity = worker_on(self.database, self.starts, now=now)
        return await ActivityEnvironment().run(activity.work, self.step(webhook_id))

    def step(self, webhook_id: str) -> ProcessWebhookInput:
        ref = WebhookRef(client_id=self.shop.client_id, webhook_id=webhook_id)
        return ProcessWebhookInput(ref=ref, review_expiry_s=60)

    async def row(self, webhook_id: str) -> dict[str, Any]:
        return await only_row(self.database, inbound_webhooks, id=webhook_id)

    async def states(self, *webhook_ids: str) -> list[str]:
        """Return each webhook's state and the cause for which it waits."""
        found = [await self.row(webhook_id) for webhook_id in webhook_ids]
        return [
            f"{one['state']} {one['waits_for'] or one['outcome'] or ''}".strip() for one in found
        ]

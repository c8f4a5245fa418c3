"""Seed the demo shop, once a data folder, and open it."""

import secrets
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import BaseModel, TypeAdapter

from adapters.seal import FernetSealer
from adapters.system import new_ulid, utc_now
from adapters.temporal.client import TemporalEngine
from adapters.temporal.connection import connect
from demo.content import BRAND, KNOWLEDGE, OWNER, TEMPLATES
from demo.orders import RULEBOOK
from demo.receiver import Receiver, receiving
from demo.webhook import DEMO, DemoWebhook, Destination, pause, point, subscribe
from domain.billing.errors import PlanRequired
from domain.core.ids import TenantId
from domain.core.ports import Sealer
from domain.integrations.integration import Provider
from domain.playbooks.playbook import PlaybookSpec
from domain.tenants.actor import Actor
from domain.tenants.api_key import KEY_BYTES
from domain.tenants.client import Plan
from domain.webhooks.errors import InvalidWebhook
from embedded.data_folder import DataFolder, StackInfo, write_private
from services.content.knowledge import add_knowledge
from services.content.templates import add_template
from services.core.unit_of_work import UnitOfWork, UnitsOfWork
from services.integrations.connections import connect_integration
from services.playbooks.playbooks import import_playbooks
from services.tenants.clients import NewClient, open_client
from services.tenants.keys import create_key
from settings import load_temporal
from store.core.database import Database

# No playbook for helpdesk events: the tour shows what a caller then gets.
PATTERNS: Final = ("shopify.*", "email.*", "widget.*")

_PLAYBOOKS: Final = tuple(
    PlaybookSpec(name=f"Support {pattern}", event_type=pattern, threshold=0.70, rulebook=RULEBOOK)
    for pattern in PATTERNS
)

_SEEDING_TELLS: Final = Counter({"playbook.activated": len(PATTERNS), "integration.connected": 1})


class SeededShop(BaseModel):
    """The demo's credentials. The key is kept in clear, for this shop alone."""

    client_id: str
    key: str
    webhook: DemoWebhook = DemoWebhook()


@dataclass(frozen=True, slots=True)
class OpenShop:
    """The shop with its webhook's receiver. `tells`: the webhooks that opening it must cause."""

    shop: SeededShop
    receiver: Receiver
    tells: Counter[str]


@asynccontextmanager
async def open_shop(folder: DataFolder, stack: StackInfo) -> AsyncIterator[OpenShop]:
    """The demo shop of this folder, made if it is not there; told of everything by webhook for as
    long as the block lasts."""
    client = await connect(load_temporal(stack.env))
    database = Database(stack.env["DATABASE_URL"], pool_size=1)
    units = UnitsOfWork(database, TemporalEngine(client), utc_now, new_ulid)
    sealer = FernetSealer(stack.env["SEAL_KEY"])
    private = TypeAdapter(bool).validate_python(stack.env["WEBHOOK_ALLOW_PRIVATE_ADDRESSES"])
    try:
        async with receiving(folder.certificate) as receiver:
            shop, tells = await _shop(units, folder, Destination(receiver.url, private), sealer)
            try:
                yield OpenShop(shop, receiver, tells)
            finally:
                await pause(units, TenantId(shop.client_id), shop.webhook)
    finally:
        await database.close()


async def _shop(
    units: UnitsOfWork, folder: DataFolder, to: Destination, sealer: Sealer
) -> tuple[SeededShop, Counter[str]]:
    """The shop, and what its making told."""
    if folder.demo.exists():
        kept = SeededShop.model_validate_json(folder.demo.read_text())
        async with units.of(TenantId(kept.client_id)) as work:
            shop, tells = await _reopen(work, kept, to, sealer), Counter[str]()
    else:
        async with units.spanning(TenantId(new_ulid())) as work:
            shop, tells = await seed(work, folder.shop, sealer, to=to), _SEEDING_TELLS
    write_private(folder.demo, shop.model_dump_json())
    return shop, tells


async def _reopen(
    work: UnitOfWork, kept: SeededShop, to: Destination, sealer: Sealer
) -> SeededShop:
    # Where webhooks are not in the plan any more, or may not go to this machine, there is none now:
    # the tour says so.
    with suppress(PlanRequired, InvalidWebhook):
        if not await point(work, kept.webhook, to):
            return kept.model_copy(update={"webhook": await subscribe(work, to, sealer)})
    return kept


async def seed(
    work: UnitOfWork, orders: Path, sealer: Sealer, *, to: Destination | None
) -> SeededShop:
    """Make a shop whose orders lie in the file `orders`, as the client that `work` is for. `to`:
    where it is told of everything; None for nowhere."""
    await open_client(work, DEMO, NewClient(BRAND, OWNER, Plan.PRO))
    key = await create_key(work, DEMO, "demo", secrets.token_bytes(KEY_BYTES))
    # First, so that it is told of all that follows.
    webhook = DemoWebhook()
    with suppress(InvalidWebhook):  # it may not go to this machine: the tour says so
        webhook = await subscribe(work, to, sealer) if to else webhook
    # In its owner's name, which merchants' systems are told.
    await import_playbooks(work, Actor.system(OWNER), _PLAYBOOKS)
    for template in TEMPLATES:
        await add_template(work, DEMO, template)
    for entry in KNOWLEDGE:
        await add_knowledge(work, DEMO, **entry._asdict())
    path = {"path": str(orders)}
    await connect_integration(work, DEMO, Provider.DEMO_SHOP, path, {}, sealer=sealer)
    return SeededShop(client_id=work.tenant, key=key.text, webhook=webhook)

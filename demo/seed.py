"""Seed the demo shop, once a data folder, and open it."""

import secrets
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.seal import FernetSealer
from adapters.system import new_ulid, utc_now
from demo.content import BRAND, KNOWLEDGE, OWNER, TEMPLATES
from demo.orders import RULEBOOK
from demo.receiver import Receiver, receiving
from demo.webhook import DemoWebhook, pause, point, send_waiting, subscribe
from domain.agent.brain import Template
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from domain.core.ports import Sealer
from domain.integrations.integration import Integration, Provider
from domain.playbooks.playbook import PlaybookSpec
from domain.tenants.api_key import key_material, key_value
from domain.tenants.client import Plan
from embedded.data_folder import DataFolder, StackInfo, write_private
from store.content.content import ContentRepository
from store.core.database import Database
from store.integrations.integrations import IntegrationRepository
from store.playbooks.playbook_changes import PlaybookChanges
from store.tenants.clients import ClientRepository
from store.tenants.keys import KeyRepository

# No playbook for helpdesk events: the tour shows what a caller then gets.
PATTERNS: Final = ("shopify.*", "email.*", "widget.*")

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
    database = Database(stack.env["DATABASE_URL"], pool_size=1)
    sealer = FernetSealer(stack.env["SEAL_KEY"])
    try:
        async with receiving(folder.certificate) as receiver:
            shop, tells = await _shop(database, folder, receiver.url, sealer)
            tenant = TenantId(shop.client_id)
            try:
                await send_waiting(database, tenant, shop.webhook, stack)
                yield OpenShop(shop, receiver, tells)
            finally:
                await pause(database, tenant, shop.webhook, utc_now())
    finally:
        await database.close()


async def _shop(
    database: Database, folder: DataFolder, url: str, sealer: Sealer
) -> tuple[SeededShop, Counter[str]]:
    """The shop, and what its making told."""
    async with database.service() as connection:
        if not folder.demo.exists():
            shop, tells = await seed(connection, folder.shop, sealer, url=url), _SEEDING_TELLS
        else:
            shop, tells = await _reopen(connection, folder, url, sealer), Counter()
    write_private(folder.demo, shop.model_dump_json())
    return shop, tells


async def _reopen(
    connection: AsyncConnection, folder: DataFolder, url: str, sealer: Sealer
) -> SeededShop:
    shop, now = SeededShop.model_validate_json(folder.demo.read_text()), utc_now()
    tenant = TenantId(shop.client_id)
    if await point(connection, tenant, shop.webhook, url, now):
        return shop
    webhook = await subscribe(connection, tenant, url, sealer, now)
    return shop.model_copy(update={"webhook": webhook})


async def seed(
    connection: AsyncConnection, orders: Path, sealer: Sealer, *, url: str | None
) -> SeededShop:
    """Make a shop whose orders lie in the file `orders`. `url`: where it is told of everything;
    None for nowhere."""
    now, client_id = utc_now(), new_ulid()
    key = key_value(secrets.token_bytes(16))
    material = key_material(key)
    if material is None:
        raise InvalidInput("the demo's key has not the shape of one")
    tenant = TenantId(client_id)
    await ClientRepository(connection).create(
        client_id=client_id,
        user_id=new_ulid(),
        brand=BRAND,
        plan=Plan.PRO,
        owner_email=OWNER,
        now=now,
    )
    await KeyRepository(connection).create(
        key_id=new_ulid(), client_id=client_id, label="demo", material=material, now=now
    )
    # First, so that it is told of all that follows.
    webhook = await subscribe(connection, tenant, url, sealer, now) if url else DemoWebhook()
    await PlaybookChanges(connection, tenant, actor=OWNER, now=now, new_id=new_ulid).bring_in(
        [
            PlaybookSpec(
                name=f"Support {pattern}", event_type=pattern, threshold=0.70, rulebook=RULEBOOK
            )
            for pattern in PATTERNS
        ]
    )
    content = ContentRepository(connection, tenant)
    for template in TEMPLATES:
        await content.add_template(Template(id=new_ulid(), **template._asdict()), now)
    for entry in KNOWLEDGE:
        await content.add_knowledge(entry_id=new_ulid(), now=now, **entry._asdict())
    shop = Integration(
        id=new_ulid(),
        provider=Provider.DEMO_SHOP,
        settings={"path": str(orders)},
        sealed=sealer.seal("{}"),
    )
    await IntegrationRepository(connection, tenant).connect(shop, now, new_ulid)
    return SeededShop(client_id=client_id, key=key, webhook=webhook)

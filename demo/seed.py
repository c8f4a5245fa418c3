"""Seed the demo shop, once a data folder."""

import secrets

from pydantic import BaseModel

from adapters.seal import FernetSealer
from adapters.system import new_ulid, utc_now
from demo.content import BRAND, KNOWLEDGE, OWNER, TEMPLATES
from demo.orders import RULEBOOK
from domain.api_key import key_material, key_value
from domain.brain import Template
from domain.client import Plan
from domain.errors import InvalidInput
from domain.ids import TenantId
from domain.integration import Integration, Provider
from domain.playbook import Playbook
from embedded.data_folder import DataFolder, write_private
from store.client_repository import ClientRepository
from store.content_repository import ContentRepository
from store.database import Database
from store.integration_repository import IntegrationRepository
from store.key_repository import KeyRepository
from store.playbook_repository import PlaybookRepository

# No playbook for helpdesk events: the tour shows what a caller then gets.
PATTERNS = ("shopify.*", "email.*", "widget.*")


class DemoShop(BaseModel):
    """The demo's credentials. The key is kept in clear, for this shop alone."""

    client_id: str
    key: str


async def demo_shop(folder: DataFolder, database_url: str) -> DemoShop:
    """The demo shop of this folder, made if it is not there."""
    if folder.demo.exists():
        return DemoShop.model_validate_json(folder.demo.read_text())
    database = Database(database_url, pool_size=1)
    try:
        shop = await _seed(database, folder)
    finally:
        await database.close()
    write_private(folder.demo, shop.model_dump_json())
    return shop


async def _seed(database: Database, folder: DataFolder) -> DemoShop:
    now, client_id = utc_now(), new_ulid()
    key = key_value(secrets.token_bytes(16))
    material = key_material(key)
    if material is None:
        raise InvalidInput("the demo's key has not the shape of one")
    tenant = TenantId(client_id)
    async with database.service() as connection:
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
        playbooks = PlaybookRepository(connection, tenant)
        for pattern in PATTERNS:
            playbook = Playbook(
                id=new_ulid(), version=1, name=f"Support {pattern}", event_type=pattern,
                threshold=0.70,
            )  # fmt: skip
            await playbooks.create(playbook, active=True, now=now, rulebook=RULEBOOK)
        content = ContentRepository(connection, tenant)
        for template in TEMPLATES:
            await content.add_template(Template(id=new_ulid(), **template._asdict()), now)
        for entry in KNOWLEDGE:
            await content.add_knowledge(entry_id=new_ulid(), now=now, **entry._asdict())
        shop = Integration(
            id=new_ulid(),
            provider=Provider.DEMO_SHOP,
            settings={"path": str(folder.shop)},
            sealed=FernetSealer(folder.seal_key()).seal("{}"),
        )
        await IntegrationRepository(connection, tenant).connect(shop, now, new_ulid)
    return DemoShop(client_id=client_id, key=key)

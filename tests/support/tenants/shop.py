"""A client with content, playbooks and a key, the default for most tests."""

import secrets
from dataclasses import dataclass

import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.agent.brain import Category, Language, Template
from domain.agent.intent import Intent
from domain.agent.rulebook import Rulebook
from domain.core.ids import TenantId
from domain.core.ports import MailSender
from domain.playbooks.playbook import Playbook
from domain.tenants.api_key import KEY_BYTES, new_key
from domain.tenants.client import Plan
from store.content.content import ContentRepository
from store.core.database import Database
from store.integrations.mail_senders import MailSenderRepository
from store.integrations.tables import mail_senders
from store.playbooks.live_versions import LiveVersions
from store.playbooks.playbooks import PlaybookRepository
from store.tenants.clients import ClientRepository
from store.tenants.keys import KeyRepository
from tests.support.tenants.joined import settle_owner

ORDER_QUESTION = "Bonjour, où en est ma commande n° 1042 ? Est-elle bien partie ?"
UNSURE_MESSAGE = "Bonjour, est-ce que vous pourriez me rappeler pour en discuter ?"

TEMPLATES: tuple[tuple[Intent, Language, str], ...] = (
    (Intent.TRACK_ORDER, "fr", "Bonjour, votre commande {{ order_number }} est en route."),
    (Intent.TRACK_ORDER, "en", "Hello, your order {{ order_number }} is on its way."),
)


@dataclass(frozen=True)
class Shop:
    client_id: str
    owner_user_id: str
    key: str
    key_id: str
    playbook_id: str

    @property
    def tenant(self) -> TenantId:
        return TenantId(self.client_id)

    @property
    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.key}"}


async def open_shop(
    database: Database,
    *,
    event_type: str = "*",
    threshold: float = 0.7,
    brand: str = "Boutique",
    rulebook: Rulebook | None = None,
) -> Shop:
    """Create a client with one active playbook, one key and the templates above.

    Without a rulebook, the agent only answers.
    """
    now, client_id, playbook_id, key_id = utc_now(), new_ulid(), new_ulid(), new_ulid()
    key, material = new_key(secrets.token_bytes(KEY_BYTES))
    async with database.service() as connection:
        owner = await ClientRepository(connection).create(
            client_id=client_id,
            user_id=new_ulid(),
            brand=brand,
            plan=Plan.PRO,
            owner_email=f"{client_id.lower()}@example.com",
            now=now,
        )
        await settle_owner(connection, client_id, owner)
        await KeyRepository(connection).create(
            key_id=key_id, client_id=client_id, label="test", material=material, now=now
        )
        playbook = Playbook(
            id=playbook_id, version=1, name="all", event_type=event_type, threshold=threshold
        )
        await PlaybookRepository(connection, TenantId(client_id)).create(
            playbook, active=True, now=now, rulebook=rulebook or Rulebook()
        )
        await LiveVersions(connection, TenantId(client_id)).go_live(playbook, now)
        for intent, language, body in TEMPLATES:
            await ContentRepository(connection, TenantId(client_id)).add_template(
                Template(
                    id=new_ulid(),
                    name="order_status",
                    category=Category.ORDER_STATUS,
                    language=language,
                    body=body,
                    intent=intent,
                ),
                now,
            )
    return Shop(client_id, owner, key, key_id, playbook_id)


async def with_sender(
    database: Database, shop: Shop, address: str = "contact@shop.example"
) -> None:
    """Give the shop a verified sender through the service's server."""
    now = utc_now()
    async with database.tenant(shop.tenant) as connection:
        senders = MailSenderRepository(connection, shop.tenant)
        await senders.put(MailSender(shop.tenant, address), now)
        await connection.execute(
            sa.update(mail_senders)
            .where(mail_senders.c.client_id == shop.client_id)
            .values(verified_at=now)
        )

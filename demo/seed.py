"""Create the demo shop, once per data folder."""

import secrets
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from demo.content import BRAND, KNOWLEDGE, OWNER, SENDER, TEMPLATES
from demo.orders import RULEBOOK
from demo.webhook import DEMO, DemoWebhook, Destination, subscribe
from domain.cases.starter_cases import starter_cases
from domain.core.ports import Sealer
from domain.integrations.providers import Provider
from domain.playbooks.playbook import PlaybookSpec
from domain.tenants.actor import Actor
from domain.tenants.api_key import KEY_BYTES
from domain.tenants.client import Plan, Role
from domain.webhooks.errors import InvalidWebhook
from services.cases.case_runs import start_case_run
from services.cases.saved_cases import import_cases
from services.content.knowledge import add_knowledge
from services.content.templates import add_starter_templates, add_template
from services.core.unit_of_work import UnitOfWork
from services.integrations.connections import connect_integration
from services.integrations.mail_senders import trust_mail_sender
from services.playbooks.playbooks import import_playbooks
from services.playbooks.publish_gate import NEW_CLIENT
from services.tenants.clients import NewClient, open_client
from services.tenants.keys import create_key
from services.tenants.members import add_member

# No pattern matches Gorgias events, so that the tour can show the response to an event without a
# playbook.
NAMES: Final = {
    "shopify.*": "Support Shopify",
    "email.*": "Support e-mail",
    "widget.*": "Support chat",
    "zendesk.*": "Support Zendesk",
}
PATTERNS: Final = tuple(NAMES)

PLAYBOOKS: Final = tuple(
    PlaybookSpec(name=name, event_type=pattern, threshold=0.70, rulebook=RULEBOOK)
    for pattern, name in NAMES.items()
)

REVIEWERS: Final = ("alice@maison-lavande.example", "bruno@maison-lavande.example")
REVIEWER_IDS: Final = (("demo-reviewer-0", "Alice"), ("demo-reviewer-1", "Bruno"))
"""The user ids and first names of the reviewers."""

_OPERATOR: Final = Actor.operator("operator:demo")

SEEDING_TELLS: Final = Counter({"playbook.activated": len(PATTERNS), "integration.connected": 1})


class SeededShop(BaseModel):
    """The credentials of the demo shop. Unlike a real client's key, the API key is stored
    unencrypted. `storefront_port` is the port that the storefront used last."""

    client_id: str
    key: str
    webhook: DemoWebhook = DemoWebhook()
    storefront_port: int | None = None


async def seed(
    work: UnitOfWork, orders: Path, sealer: Sealer, *, to: Destination | None
) -> SeededShop:
    """Create the shop and its content for the client of `work`, and return its credentials.

    `orders` is the file of the shop's orders. `to` is the target of its webhook, or None.
    """
    await open_client(work, DEMO, NewClient(BRAND, OWNER, Plan.PRO))
    # The team page warns of keys whose creator is not a manager, but not of an operator's keys.
    key = await create_key(work, _OPERATOR, "demo", secrets.token_bytes(KEY_BYTES))
    # Create the webhook first, so that it receives the events from all following steps.
    webhook = DemoWebhook()
    with suppress(InvalidWebhook):  # Workers are not allowed to send to localhost.
        webhook = await subscribe(work, to, sealer) if to else webhook
    # Publish the playbooks in the owner's name, so that the webhooks contain that name.
    await import_playbooks(work, Actor.system(OWNER), PLAYBOOKS, NEW_CLIENT)
    for template in TEMPLATES:
        await add_template(work, DEMO, template)
    await add_starter_templates(work, DEMO)
    for entry in KNOWLEDGE:
        await add_knowledge(work, DEMO, **entry._asdict())
    # Trust the sender, so that email answers are sent to customers.
    await trust_mail_sender(work, DEMO, SENDER)
    await import_cases(work, DEMO, starter_cases())
    path = {"path": str(orders)}
    await connect_integration(work, DEMO, Provider.DEMO_SHOP, path, {}, sealer=sealer)
    await start_case_run(work, DEMO)
    return SeededShop(client_id=work.tenant, key=key.text, webhook=webhook)


async def add_reviewers(work: UnitOfWork) -> None:
    """Add the members who approve larger refunds. Larger refunds need two approvers."""
    for address, (user_id, _) in zip(REVIEWERS, REVIEWER_IDS, strict=True):
        await add_member(work, _OPERATOR, address, Role.AGENT, user_id=user_id)

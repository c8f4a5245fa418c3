"""Templates that a member inserts into a reply: found by name, text or shortcut, in the customer's
language first, and filled in."""

import re
from html import unescape

import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.agent.brain import Category, Language, Template
from domain.intake.event import Channel, UnifiedEvent
from domain.tenants.client import Role
from store.content.content import ContentRepository
from store.core.database import Database
from store.intake.tables import engine_events
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages
from tests.support.intake.proof import proved
from tests.support.reviews.conversations import converse
from tests.support.reviews.reviews import DRAFT, open_review
from tests.support.tenants.shop import Shop, open_shop

ORDER = {
    "integration_id": "01J9ZQ4Z8N3V5X7B2C4D6E8F0G",
    "provider": "shopify",
    "id": "gid-1",
    "number": "1042",
    "customer_email": "anne@example.com",
    "state": "shipped",
    "total": {"minor": 4900, "currency": "EUR"},
    "refundable": {"minor": 4900, "currency": "EUR"},
    "placed_at": "2026-11-20T09:00:00Z",
    "tracking_url": "https://track.example/1042",
}
TEMPLATES: tuple[tuple[str, Language, str], ...] = (
    ("Delivery time", "en", "Two days."),
    ("Colis en retard", "fr", "Suivi de {{ order_number }} : {{ tracking_url }}"),
    ("Échange", "fr", "Renvoyez l'article."),
    ("Facture", "fr", "Votre commande est facturée."),
)


async def add(front: LiveEngine, shop: Shop) -> None:
    async with front.database.tenant(shop.tenant) as connection:
        for name, language, body in TEMPLATES:
            await ContentRepository(connection, shop.tenant).add_template(
                Template(
                    id=new_ulid(),
                    name=name,
                    category=Category.OTHER,
                    language=language,
                    body=body,
                ),
                utc_now(),
            )


def found(page: str) -> list[str]:
    """Return the names of this module's templates that were found, in order."""
    shown = page.partition('id="macros-found"')[2].partition("</ul>")[0]
    names = re.findall(r'data-text="[^"]*"><span dir="auto">([^<]*)<', shown)
    return [unescape(name) for name in names if name != "order_status"]


async def test_they_are_found_by_name_text_or_shortcut(front: LiveEngine, shop: Shop) -> None:
    await add(front, shop)
    review_id = await open_review(front.database, shop, language="fr")
    path = f"/app/reviews/{review_id}"
    async with at_pages(front, shop, Role.AGENT) as agent:
        assert found(await agent.see(path)) == [
            "Colis en retard",
            "Échange",
            "Facture",
            "Delivery time",
        ], "the customer's language first"
        for search, names in (
            ("retard", ["Colis en retard"]),
            ("ECHANGE", ["Échange"]),
            ("facturee commande", ["Facture"]),
            ("/cer", ["Colis en retard"]),
            ("100%", []),
        ):
            answer = await agent.see(f"{path}/templates", macro=search, language="fr")
            assert found(answer) == names, search
    async with at_pages(front, shop, Role.VIEWER) as viewer:
        assert 'id="macro"' not in await viewer.see(path)
        assert (await viewer.http.get(f"{path}/templates")).status_code == 403


async def test_they_are_filled_from_the_order_beside(front: LiveEngine, shop: Shop) -> None:
    await add(front, shop)
    review_id = await open_review(
        front.database, shop, lookup={"state": "found", "order": ORDER, "number": None}
    )
    talk = await converse(front.database, shop, review_id)
    await sent_by(front.database, shop, "anne@example.com")
    filled = "Suivi de 1042 : https://track.example/1042"
    async with at_pages(front, shop, Role.AGENT) as agent:
        for path in (f"/app/reviews/{review_id}", f"/app/conversations/{talk}"):
            part = await agent.see(f"{path}/templates", macro="colis")
            assert f'data-text="{filled}"' in part, path
            (template,) = re.findall(r'name="template" value="([^"]+)"', part)
            page = unescape(await agent.see(path, template=template))
            assert f"{DRAFT}\n\n{filled}</textarea>" in page, "without a script"


async def test_an_order_of_another_sender_fills_none(front: LiveEngine, shop: Shop) -> None:
    """Several customers may write in one ticket. A reply to one contained the other's order."""
    await add(front, shop)
    review_id = await open_review(
        front.database, shop, lookup={"state": "found", "order": ORDER, "number": None}
    )
    await sent_by(front.database, shop, "bob@example.com")
    async with at_pages(front, shop, Role.AGENT) as agent:
        part = await agent.see(f"/app/reviews/{review_id}/templates", macro="colis")
    assert "track.example" not in part
    assert "1042" not in part


async def sent_by(database: Database, shop: Shop, customer: str) -> None:
    """Make the customer the verified sender of the shop's only message."""
    event = UnifiedEvent(
        channel=Channel.API, text="Où est-il ?", customer_email=customer, proved=proved(customer)
    )
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(engine_events).values(unified=event.model_dump(mode="json"))
        )


async def test_another_shop_has_none_of_them(front: LiveEngine, shop: Shop) -> None:
    await add(front, shop)
    other = await open_shop(front.database, brand="Autre")
    review_id = await open_review(front.database, other)
    async with at_pages(front, other) as owner:
        assert found(await owner.see(f"/app/reviews/{review_id}")) == []

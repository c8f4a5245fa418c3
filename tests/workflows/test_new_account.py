"""What a new account answers, with a connected shop and without its own templates."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from temporalio.testing import ActivityEnvironment

from adapters.demo.shop import open_demo_shop
from adapters.system import new_ulid
from domain.content.starter_templates import starter_templates
from domain.integrations.providers import Provider
from domain.runs.contracts import SweepInput
from store.audit.tables import audit_entries
from store.content.tables import response_templates
from tests.support.agent.acting import CUSTOMER, connect, order
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.identity.sign_in import sign_up
from tests.support.servers.mail import MailServer
from tests.support.tenants.identity import bearer
from tests.support.tenants.shop import Shop

ARTICLES = (
    {
        "language": "fr",
        "title": "Frais de livraison",
        "body": "La livraison à domicile coûte 4,90 EUR en France métropolitaine. Elle est offerte "
        "dès 60 EUR d'achat. La livraison en point relais coûte 3,50 EUR.",
    },
    {
        "language": "fr",
        "title": "Quelle taille choisir pour nos peignoirs",
        "body": "Nos peignoirs taillent grand : prenez une taille en dessous de votre taille "
        "habituelle. La taille M correspond au 38-40, la taille L au 42-44.",
    },
    {
        "language": "fr",
        "title": "Entretien du lin lavé",
        "body": "Le lin lavé se lave à 40 degrés avec une lessive douce. Ne le passez pas au "
        "sèche-linge.",
    },
)


async def test_with_three_articles(acting: LiveEngine, mail: MailServer, tmp_path: Path) -> None:
    async with acting.working():
        ask = await _opened(acting, mail, tmp_path)
        cost = await ask("Combien coûte la livraison ?")
        assert (cost["status"], "4,90 EUR" in cost["response"]) == ("completed", True), cost
        assert cost["response"].startswith("Bonjour Lea Martin,\n\n")
        size = await ask("Quelle taille choisir pour un peignoir ?")
        assert (size["status"], "38-40" in size["response"]) == ("completed", True), size
        praised = await ask("J'adore mon peignoir, vous êtes formidables !")
        assert praised["status"] == "completed", praised
        assert "message nous fait très plaisir" in praised["response"]
        thanked = await ask("Merci beaucoup pour votre aide !")
        assert (thanked["status"], thanked["response"]) == ("completed", "")
        # The embedded agent quotes, and the only article is in French: a human answers.
        english = await ask("How much is home delivery?")
        assert (english["status"], english["response"]) == ("needs_review", "")
        review = await acting.review_of(english["run_id"], round_=0)
        assert review["reason"] == "missing_knowledge"


async def test_it_starts_with_the_starter_templates(acting: LiveEngine, mail: MailServer) -> None:
    async with acting.working():
        account = await sign_up(acting, mail)
    found = await rows(acting.database, response_templates, client_id=account.client_id)
    assert {(row["name"], row["language"], row["is_starter"]) for row in found} == {
        (one.name, one.language, True) for one in starter_templates(new_ulid)
    }
    noted = await rows(acting.database, audit_entries, client_id=account.client_id)
    assert "starter templates added" in {row["what"] for row in noted}


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Where is my order 2001?", "Hello Lea Martin,\n\nYour order 2001, placed on "),
        ("Où est ma commande 2001 ?", "Bonjour Lea Martin,\n\nVotre commande 2001, passée le "),
    ],
)
async def test_where_is_my_order(
    acting: LiveEngine, mail: MailServer, tmp_path: Path, message: str, said: str
) -> None:
    async with acting.working():
        ask = await _opened(acting, mail, tmp_path)
        told = await ask(message)
        assert told["status"] == "completed", told
        assert told["response"].startswith(said)
        assert "https://track.example/2001" in told["response"]
        assert told["response"].endswith("\nMaison Lin")


async def _opened(
    acting: LiveEngine, mail: MailServer, folder: Path
) -> Callable[[str], Awaitable[dict[str, str]]]:
    """Sign up, connect the demo shop, add the articles; return a function that asks as a
    customer."""
    account = await sign_up(acting, mail, brand="Maison Lin")
    shop = Shop(account.client_id, account.user_id, "", "", "")
    path = folder / "shop.db"
    open_demo_shop(path, [order("2001", tracking_url="https://track.example/2001")])
    await connect(acting, shop, Provider.DEMO_SHOP, {"path": str(path)}, "{}")
    for article in ARTICLES:
        added = await acting.http.post(
            "/api/dashboard/knowledge", json=article, headers=account.headers
        )
        assert added.status_code == 201, added.text
    sweep = SweepInput(embedding_model=acting.settings.embedding.model)
    await ActivityEnvironment().run(acting.activities.embed.embed, sweep)
    made = await acting.http.post(
        "/api/dashboard/keys", json={"label": "shop"}, headers=account.headers
    )
    key = bearer(made.json()["text"])

    async def ask(message: str) -> dict[str, str]:
        event = {
            "client_id": account.client_id,
            "event_type": "shopify.ticket.created",
            "ticket_id": new_ulid(),
            "customer_email": CUSTOMER,
            "customer_name": "Lea Martin",
            "message": message,
        }
        answer = await acting.http.post("/api/engine/gateway", json=event, headers=key)
        assert answer.status_code == 200, answer.text
        told: dict[str, str] = answer.json()
        return told

    return ask

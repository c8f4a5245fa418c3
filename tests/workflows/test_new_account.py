"""What a new account answers, with a connected shop and without a template of its own."""

from pathlib import Path

import pytest

from adapters.demo.shop import open_demo_shop
from adapters.system import new_ulid
from domain.content.starter_templates import starter_templates
from domain.integrations.providers import Provider
from store.audit.tables import audit_entries
from store.content.tables import response_templates
from tests.support.agent.acting import CUSTOMER, connect, order
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.identity.sign_in import sign_up
from tests.support.servers.mail import MailServer
from tests.support.tenants.identity import bearer
from tests.support.tenants.shop import Shop


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
        account = await sign_up(acting, mail, brand="Maison Lin")
        shop = Shop(account.client_id, account.user_id, "", "", "")
        path = tmp_path / "shop.db"
        open_demo_shop(path, [order("2001", tracking_url="https://track.example/2001")])
        await connect(acting, shop, Provider.DEMO_SHOP, {"path": str(path)}, "{}")
        event = {
            "client_id": account.client_id,
            "event_type": "shopify.ticket.created",
            "customer_email": CUSTOMER,
            "customer_name": "Lea Martin",
            "message": message,
        }
        made = await acting.http.post(
            "/api/dashboard/keys", json={"label": "shop"}, headers=account.headers
        )
        answer = await acting.http.post(
            "/api/engine/gateway", json=event, headers=bearer(made.json()["text"])
        )
        told = answer.json()
        assert (answer.status_code, told["status"]) == (200, "completed"), told
        assert told["response"].startswith(said)
        assert "https://track.example/2001" in told["response"]
        assert told["response"].endswith("\nMaison Lin")

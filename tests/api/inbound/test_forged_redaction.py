"""A customer's erasure on a platform's word: only a secret that several managers agreed on, or the
installation's own, carries that word."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from temporalio.testing import ActivityEnvironment

from domain.inbound.contracts import ProcessWebhookInput, WebhookRef
from domain.integrations.providers import Provider
from store.inbound.tables import inbound_endpoints
from store.integrations.integrations import IntegrationRepository
from store.tenants.tables import loosenings
from tests.api.inbound.test_inbound_addresses import app_secrets
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.inbound.addresses import ENDPOINT, PLATFORM_SECRET, opened
from tests.support.inbound.arriving import SHOPIFY_NAME, by_shopify, taken
from tests.support.inbound.stored import listen_to
from tests.support.inbound.working import NotedStarts, worker_on
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.loosenings import LOOSENINGS, another, second_manager
from tests.support.tenants.shop import Shop, open_shop

__all__ = ["app_secrets"]

REDACT = {
    "shop_domain": SHOPIFY_NAME,
    "customer": {"email": "victim@example.com"},
    "orders_to_redact": [],
}
SHOP = {"shop_domain": SHOPIFY_NAME}
LATER_SECRET = "shpss_of_the_attacker"


@pytest.fixture
async def shop(front: LiveEngine) -> Shop:
    """One with a second manager."""
    made = await open_shop(front.database)
    await second_manager(front, made)
    return made


async def proved(front: LiveEngine, shop: Shop) -> str:
    """A connection whose credentials have opened its shop."""
    async with front.database.tenant(shop.tenant) as connection:
        here = await listen_to(connection, shop.tenant, Provider.SHOPIFY)
        await IntegrationRepository(connection, shop.tenant).prove(here, SHOPIFY_NAME)
    return here


async def erased_by(
    front: LiveEngine, shop: Shop, path: str, secret: str, of: str = "customers"
) -> tuple[str, str | None, int]:
    """A redaction is signed with this secret: its outcome, and how many erasures it starts."""
    sent = by_shopify(SHOP if of == "shop" else REDACT, topic=f"{of}/redact", secret=secret)
    answer = await front.http.post(path, **sent)
    assert answer.status_code == 200, answer.text
    webhook_id = (await taken(front, shop))[-1]["id"]
    starts = NotedStarts()
    step = ProcessWebhookInput(
        ref=WebhookRef(client_id=shop.client_id, webhook_id=webhook_id), review_expiry_s=60
    )
    await ActivityEnvironment().run(worker_on(front.database, starts).work, step)
    row = (await taken(front, shop))[-1]
    return row["outcome"], row["reason"], len(starts.erased)


async def decide(front: LiveEngine, shop: Shop, how: str) -> None:
    (held,) = await rows(front.database, loosenings, of=shop, state="pending")
    path = f"{LOOSENINGS}/{held['id']}/{how}"
    answer = await front.http.post(path, headers=await another(front, shop))
    assert answer.status_code == 200, answer.text


FOR_PEOPLE = ("duty_for_people", "secret_untrusted", 0)
ERASED = ("duty_done", None, 1)


async def test_a_manager_alone_signs_no_redaction_with_a_new_address(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """They chose the secret of a real shop's address, and signed the redaction themselves. What a
    second manager agreed to later passes."""
    here = await proved(front, shop)
    shown = await opened(front, owner, here, {"secret": PLATFORM_SECRET})
    path = urlsplit(shown["url"]).path

    assert shown["endpoint"]["vouches"] is False
    assert await erased_by(front, shop, path, PLATFORM_SECRET) == FOR_PEOPLE
    assert await erased_by(front, shop, path, PLATFORM_SECRET, "shop") == FOR_PEOPLE

    await decide(front, shop, "approve")
    assert await erased_by(front, shop, path, PLATFORM_SECRET) == ERASED


async def test_a_manager_alone_signs_no_redaction_with_another_secret(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    here = await proved(front, shop)
    shown = await opened(front, owner, here, {"secret": PLATFORM_SECRET})
    path = urlsplit(shown["url"]).path
    await decide(front, shop, "approve")

    told: Any = await front.http.put(
        ENDPOINT.format(integration_id=here) + "/secret",
        json={"secret": LATER_SECRET},
        headers=owner,
    )

    assert told.status_code == 200, told.text
    assert await erased_by(front, shop, path, LATER_SECRET) == FOR_PEOPLE
    await decide(front, shop, "cancel")
    assert await erased_by(front, shop, path, LATER_SECRET) == FOR_PEOPLE


async def test_a_shop_of_one_manager_redacts(front: LiveEngine) -> None:
    """Most shops are one person's, and connect their app's secret themselves."""
    alone = await open_shop(front.database)
    headers = bearer(session_token(front.settings, alone.owner_user_id))
    here = await proved(front, alone)
    shown = await opened(front, headers, here, {"secret": PLATFORM_SECRET})
    path = urlsplit(shown["url"]).path
    assert await erased_by(front, alone, path, PLATFORM_SECRET) == ERASED


async def test_the_installations_own_app_redacts(app_secrets: LiveEngine, shop: Shop) -> None:
    """No manager knows its secret, and no connection needs an address of its own for it."""
    await proved(app_secrets, shop)
    answer = await erased_by(app_secrets, shop, "/api/webhooks/shopify", "new-secret")
    assert answer == ERASED
    assert await rows(app_secrets.database, inbound_endpoints, of=shop) == []

"""The customer pages: search, details, data export and erasure requests."""

import re

from domain.tenants.client import Role
from tests.support.core.engine import LiveEngine
from tests.support.customers.regular import NAME, SOPHIE, a_regular
from tests.support.dashboard.visitors import at_pages
from tests.support.tenants.shop import Shop, open_shop

LIST = "/app/customers"


async def test_a_customer_is_found(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        assert "No customer has written yet" in await owner.see(LIST)
        customer_id = await a_regular(front.database, shop)
        for text in ("", "soph", "martin sophie", SOPHIE, "#1043"):
            page = await owner.see(LIST, q=text)
            assert f"{LIST}/{customer_id}" in page, text
            assert NAME in page
            assert "€120.00" in page
        assert "No customer matches" in await owner.see(LIST, q="nobody")
    async with at_pages(front, shop, language="fr") as owner:
        assert "Dernier contact" in await owner.see(LIST)


async def test_the_page_of_a_customer(front: LiveEngine, shop: Shop) -> None:
    customer_id = await a_regular(front.database, shop)
    async with at_pages(front, shop) as owner:
        page = await owner.see(f"{LIST}/{customer_id}")
        for shown in (NAME, SOPHIE, "It is broken.", "#1043", "€49.00", "Call her back."):
            assert shown in page, shown
        assert f"/app/data/erasure?customer={SOPHIE.replace('@', '%40')}" in page
        assert SOPHIE in await owner.see("/app/data/erasure", customer=SOPHIE)


async def test_the_data_is_requested_from_the_page(front: LiveEngine, shop: Shop) -> None:
    customer_id = await a_regular(front.database, shop)
    one = f"{LIST}/{customer_id}"
    async with at_pages(front, shop, Role.ADMIN) as admin:
        answer = await admin.send(one, f"{one}/data-requests")
        page = await admin.follow(answer)
        assert SOPHIE in page
        assert "Data request opened" in page
        assert SOPHIE in await admin.see("/app/data-requests")
        assert "/app/data/erasure" not in await admin.see(one)


async def test_who_sees_a_customer(front: LiveEngine, shop: Shop) -> None:
    customer_id = await a_regular(front.database, shop)
    one = f"{LIST}/{customer_id}"
    async with at_pages(front, shop, Role.VIEWER) as viewer:
        page = await viewer.see(one)
        assert NAME in page
        assert "data-requests" not in page
    async with at_pages(front, await open_shop(front.database)) as stranger:
        assert (await stranger.http.get(one)).status_code == 404
        assert NAME not in await stranger.see(LIST, q="sophie")


async def test_a_ticket_shows_its_customer(front: LiveEngine, shop: Shop) -> None:
    """The inbox names the customer. The card beside the ticket links to the customer's page."""
    customer_id = await a_regular(front.database, shop)
    async with at_pages(front, shop) as owner:
        listed = await owner.see("/app/inbox", view="all")
        assert f'data-row dir="auto">{NAME}</a>' in listed
        assert SOPHIE not in listed
        talk = re.search(r"/app/conversations/[0-9A-Z]{26}", listed)
        assert talk is not None
        page = await owner.see(talk.group())
    assert f'<h1 dir="auto">{NAME}</h1>' in page
    card = page.partition('<aside class="context">')[2].replace("<wbr>", "")
    for shown in (f"/app/customers/{customer_id}", NAME, SOPHIE, "€120.00"):
        assert shown in card, shown

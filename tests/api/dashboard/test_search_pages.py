"""/app/find and the command palette: results for words, addresses, numbers and ids."""

import asyncio
import re

import pytest

from api.dashboard.palette import ACTIONS
from domain.tenants.client import Role
from store.customers.tables import customers
from store.runs.tables import ai_conversations
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.customers.regular import NAME, SOPHIE, a_regular
from tests.support.dashboard.page_list import route_at
from tests.support.dashboard.visitors import at_pages
from tests.support.reviews.reviews import open_review
from tests.support.runs.conversation import CUSTOMER, write
from tests.support.runs.traced_run import traced_run
from tests.support.tenants.shop import Shop, open_shop

FIND = "/app/find"
PALETTE = "/app/palette"
OPTION = re.compile(r'<a id="palette-\d+" role="option"[^>]* href="([^"]+)"')


async def test_what_leads_where(front: LiveEngine, shop: Shop) -> None:
    ref = (await traced_run(front.database, shop)).ref
    talk = (await only_row(front.database, ai_conversations, of=shop))["id"]
    review = await open_review(front.database, shop)
    strangers = (await traced_run(front.database, await open_shop(front.database))).ref
    async with at_pages(front, shop) as owner:
        for asked, place in (
            (CUSTOMER, f"/app/conversations/{talk}"),
            ("#1042", f"/app/conversations/{talk}"),
            ("rembours", f"/app/conversations/{talk}"),
            (ref.run_id, f"/app/runs/{ref.run_id}"),
            (ref.event_id, f"/app/runs/{ref.run_id}"),
            (talk, f"/app/conversations/{talk}"),
            (review, f"/app/reviews/{review}"),
        ):
            assert f'href="{place}"' in await owner.see(FIND, q=asked), asked
            assert place in OPTION.findall(await owner.see(PALETTE, q=asked)), asked
        for asked in (strangers.run_id, "<script>alert(1)</script>"):
            page = await owner.see(FIND, q=asked)
            assert "Searched:" in page
            assert "<script>alert" not in page
        assert "Enter a customer" in await owner.see(FIND)


async def test_a_nul_is_refused(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        for path, asked in ((FIND, "1\0"), (PALETTE, "a@b\0")):
            assert (await owner.http.get(path, params={"q": asked})).status_code == 400, path


async def test_a_customer_is_found_by_name(front: LiveEngine, shop: Shop) -> None:
    customer_id = await a_regular(front.database, shop)
    stranger = await open_shop(front.database)
    async with at_pages(front, shop) as owner:
        for asked in ("martin sop", SOPHIE):
            place = f"/app/customers/{customer_id}"
            assert place in OPTION.findall(await owner.see(PALETTE, q=asked)), asked
            assert f'href="{place}"' in await owner.see(FIND, q=asked), asked
    async with at_pages(front, stranger) as other:
        assert NAME not in await other.see(PALETTE, q="martin")


async def test_the_palette_finds_sophie(front: LiveEngine, shop: Shop) -> None:
    hostile = "<script>alert(1)</script> Où est ma commande ?"
    await write(front.database, shop, hostile, customer="sophie@b.example", key="a")
    talk = (await only_row(front.database, ai_conversations, of=shop))["id"]
    stranger = await open_shop(front.database)
    async with at_pages(front, shop, language="fr") as owner:
        page = await owner.see(PALETTE, q="sophie")
        recent = await owner.see(PALETTE)
    async with at_pages(front, stranger) as other:
        elsewhere = await other.see(PALETTE, q="sophie")

    customer = (await only_row(front.database, customers, of=shop))["id"]
    assert OPTION.findall(page) == [f"/app/customers/{customer}", f"/app/conversations/{talk}"]
    assert "&lt;script&gt;alert(1)" in page
    assert "<html" not in page
    assert OPTION.findall(recent)[0] == f"/app/conversations/{talk}"
    assert "Demandes récentes" in recent
    assert OPTION.findall(elsewhere) == []
    assert "No results for “sophie”" in elsewhere


@pytest.mark.parametrize("role", Role)
async def test_the_palette_offers_what_a_role_may(
    front: LiveEngine, shop: Shop, role: Role
) -> None:
    async with at_pages(front, shop, role) as visitor:
        offered = OPTION.findall(await visitor.see(PALETTE, q="new"))
        pages = OPTION.findall(await visitor.see(PALETTE, q="key"))
        invite = OPTION.findall(await visitor.see(PALETTE, q="invite"))

    is_manager = role in (Role.OWNER, Role.ADMIN)
    assert ("/app/knowledge/new" in offered) is is_manager
    assert ("/app/keys" in pages) is is_manager
    assert invite == (["/app/members"] if is_manager else [])


@pytest.mark.parametrize("action", ACTIONS, ids=lambda one: one.name)
def test_an_action_leads_to_a_page_of_its_roles(action: object) -> None:
    assert isinstance(action, type(ACTIONS[0]))
    route = route_at(action.path)

    assert route is not None
    assert action.roles <= (route.roles or frozenset())


async def test_every_page_has_the_palette_and_works_without_it(
    front: LiveEngine, shop: Shop
) -> None:
    async with at_pages(front, shop) as owner:
        page = await owner.see("/app/me")

    dialog = page.partition('<dialog id="palette"')[2].partition("</dialog>")[0]
    assert 'role="combobox"' in dialog
    assert 'aria-controls="palette-list"' in dialog
    assert 'action="/app/find"' in dialog
    assert page.count('id="palette-list"') == 1


@pytest.mark.parametrize("path", [FIND, PALETTE])
async def test_a_clients_searches_wait_for_one_another(
    front: LiveEngine, shop: Shop, path: str
) -> None:
    """The palette searches with each keystroke. Searches of three clients at once made the pages of
    all other clients ten times slower."""
    other = await open_shop(front.database)
    async with at_pages(front, shop) as owner, at_pages(front, other) as neighbour:
        async with front.app.state.resources.searches.turn(shop.tenant):
            crowd = [
                asyncio.ensure_future(owner.http.get(path, params={"q": "lamp"})) for _ in range(20)
            ]
            refused, _ = await asyncio.wait(crowd, return_when=asyncio.FIRST_COMPLETED)
            answered = await neighbour.http.get(path, params={"q": "lamp"})
        ended = await asyncio.gather(*crowd)

    assert {one.result().status_code for one in refused} == {429}
    assert answered.status_code == 200
    assert [one.status_code for one in ended].count(200) == 15

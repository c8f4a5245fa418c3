"""The simulator page: an answer with its reasons, continued, and saved as a case."""

from domain.tenants.client import Role
from tests.support.cases.cases import a_case
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages, form_of
from tests.support.tenants.shop import ORDER_QUESTION, Shop

PAGE = "/app/simulator"
CASES = "/app/simulator/cases"


async def test_a_message_is_tried_and_kept_as_a_case(engine: LiveEngine, shop: Shop) -> None:
    fields = {"turn1": ORDER_QUESTION, "order_number": "1042", "order_total": "49.00"}
    async with at_pages(engine, shop, Role.AGENT) as agent:
        answered = await agent.send(PAGE, PAGE, fields)
        assert answered.status_code == 200
        assert '<h2 id="answer">Result</h2>' in answered.text
        assert 'name="turn2"' in answered.text
        kept = {**form_of(answered.text, CASES), "case_name": "Colis 1042"}
        assert "Colis 1042" in await agent.follow(await agent.http.post(CASES, data=kept))


async def test_the_form_is_filled_and_what_is_wrong_comes_back(
    front: LiveEngine, shop: Shop
) -> None:
    case = await a_case(front.database, shop)
    async with at_pages(front, shop) as owner:
        assert "&lt;b&gt;hi" in await owner.see(PAGE, message="<b>hi")
        assert "Draft (YAML)" in await owner.see(PAGE, draft_of="new")
        assert "commande" in await owner.see(PAGE, case_id=case)
        refused = await owner.send(PAGE, PAGE, {"turn1": "My words", "order_number": "1"})
        page = await owner.follow(refused)
        assert "order.total" in page
        assert "My words" in page
    async with at_pages(front, shop, Role.VIEWER) as viewer:
        assert (await viewer.http.get(PAGE)).status_code == 403

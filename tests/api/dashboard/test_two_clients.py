"""A form belongs to the client for which it was rendered, even if another tab has switched the
client."""

from adapters.system import utc_now
from domain.tenants.client import Role
from store.tenants.members import MemberRepository
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages, form_of
from tests.support.tenants.shop import Shop, open_shop

NEW, LIST = "/app/knowledge/new", "/app/knowledge"
TYPED = {"title": "Delivery", "body": "Ours takes 3 days.", "language": "en"}


async def test_another_tab_switches_no_form(front: LiveEngine, shop: Shop) -> None:
    other = await open_shop(front.database, brand="Autre")
    async with front.database.service() as connection:
        await MemberRepository(connection).add(
            other.client_id, shop.owner_user_id, Role.ADMIN, utc_now()
        )
    async with at_pages(front, shop) as owner:
        form = form_of(await owner.see(NEW, client_id=shop.client_id), LIST)
        await owner.see("/app", client_id=other.client_id)

        kept = await owner.http.post("/app/drafts", data={**form, **TYPED, "_form": LIST})
        assert kept.status_code == 204
        # the stored input does not switch the client
        assert "Ours takes" not in await owner.see(NEW)
        await owner.follow(await owner.http.post(LIST, data={**form, **TYPED}))

        assert "Delivery" in await owner.see(LIST)
        assert "Delivery" not in await owner.see(LIST, client_id=other.client_id)
        forged = await owner.http.post(LIST, data={**form, **TYPED, "_who": "forged"})
        assert "Delivery" not in await owner.see(LIST)
        assert forged.status_code == 400


async def test_a_draft_that_comes_after_its_form_is_not_kept(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        form = form_of(await owner.see(NEW), LIST)
        await owner.http.post(LIST, data={**form, **TYPED})
        await owner.http.post("/app/drafts", data={**form, **TYPED, "_form": LIST})
        assert "Ours takes" not in await owner.see(NEW)

        # a second click creates no draft either
        await owner.http.post(LIST, data={**form, **TYPED})
        assert "Ours takes" not in await owner.see(NEW)


async def test_odd_fields_are_refused(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        form = form_of(await owner.see(NEW), LIST)
        odd = await owner.http.post(LIST, data={**form, "a\0": "b"})
        assert odd.status_code == 400
        copilot = form_of(await owner.see("/app/copilot"), "/app/copilot")
        deep = {"question": "Hi", "_earlier": "[" * 100_000}
        answer = await owner.http.post("/app/copilot", data={**copilot, **deep})
        assert answer.status_code == 303
        page = await owner.see("/app/copilot")
        assert "[[[" not in page
        assert "Hi" in page  # the question is kept

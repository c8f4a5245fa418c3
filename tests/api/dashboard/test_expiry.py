"""Input typed before the session expired: kept for its author only."""

from collections.abc import AsyncIterator
from urllib.parse import urlencode

import pytest
import sqlalchemy as sa

from domain.tenants.client import Role
from store.dashboard.tables import page_drafts
from store.identity.tables import sessions
from store.tenants.members import MemberRepository
from store.tenants.tables import client_users
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.dashboard.visitors import PageVisitor, at_pages, form_of
from tests.support.tenants.shop import Shop

NEW = "/app/knowledge/new"
LIST = "/app/knowledge"
TYPED = {"title": "Delivery", "body": "Ours takes 3 days.", "language": "en"}


async def _ended(visitor: PageVisitor, way: str) -> None:
    if way == "signed out in another tab":
        csrf = form_of(await visitor.see(NEW), LIST)["csrf"]
        await visitor.http.post("/app/sign-out", data={"csrf": csrf})
    else:
        visitor.http.cookies.set("session", "ws_" + "A" * 43, domain="127.0.0.1")


@pytest.mark.parametrize("way", ["signed out in another tab", "over"])
async def test_the_words_come_back_to_their_author_alone(
    front: LiveEngine, shop: Shop, way: str
) -> None:
    async with at_pages(front, shop) as owner:
        form = form_of(await owner.see(NEW), LIST)
        await _ended(owner, way)
        sent = await owner.http.post(LIST, data={**form, **TYPED})
        assert sent.headers["location"] == "/app/sign-in?next=%2Fapp%2Fknowledge%2Fnew"

    async with at_pages(front, shop, Role.ADMIN) as colleague:
        assert "Ours takes 3 days." not in await colleague.see(NEW)
    async with at_pages(front, shop) as owner:
        assert "Delivery" not in await owner.see(LIST)  # nothing was done without the input
        assert "Ours takes 3 days." in await owner.see(NEW)

        await owner.send(NEW, LIST, TYPED)
        assert "Ours takes 3 days." not in await owner.see(NEW)


async def test_a_form_that_we_did_not_render_is_kept_for_nobody(
    front: LiveEngine, shop: Shop
) -> None:
    async with at_pages(front, shop) as owner:
        form = form_of(await owner.see(NEW), LIST)
        owner.http.cookies.clear()
        sent = await owner.http.post(LIST, data={**form, **TYPED, "_who": "forged"})
        assert sent.status_code == 303

    async with at_pages(front, shop) as owner:
        assert "Ours takes 3 days." not in await owner.see(NEW)


async def test_a_form_of_a_former_member_is_kept_for_nobody(front: LiveEngine, shop: Shop) -> None:
    """Attack: a removed member sends an old form without a session, to write into the client."""
    async with at_pages(front, shop, Role.ADMIN) as former:
        form = form_of(await former.see(NEW), LIST)
        former.http.cookies.clear()
        (user_id,) = {
            row["user_id"] for row in await rows(front.database, client_users, of=shop)
        } - {shop.owner_user_id}
        async with front.database.service() as connection:
            await MemberRepository(connection).remove(shop.client_id, user_id)
        sent = await former.http.post(LIST, data={**form, **TYPED})
        assert sent.status_code == 303
    assert await rows(front.database, page_drafts, of=shop) == []


async def test_a_session_that_ends_while_its_form_arrives(front: LiveEngine, shop: Shop) -> None:
    """Attack: someone with a stolen cookie holds back the last byte of a form, until the owner has
    ended all sessions."""
    async with at_pages(front, shop) as owner:
        form = form_of(await owner.see(NEW), LIST)
        body = urlencode({**form, **TYPED}).encode()

        async def pieces() -> AsyncIterator[bytes]:
            yield body[:-1]
            async with front.database.service() as connection:
                await connection.execute(
                    sa.delete(sessions).where(sessions.c.user_id == shop.owner_user_id)
                )
            yield body[-1:]

        late = await owner.http.post(
            LIST,
            content=pieces(),
            headers={"content-type": "application/x-www-form-urlencoded"},
        )
        assert late.headers["location"].startswith("/app/sign-in")
    async with at_pages(front, shop) as owner:
        assert "Delivery" not in await owner.see(LIST)


async def test_another_sites_form_keeps_nothing(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        form = form_of(await owner.see(NEW), LIST)
        owner.http.cookies.clear()
        sent = await owner.http.post(
            LIST, data={**form, **TYPED}, headers={"sec-fetch-site": "cross-site"}
        )
        assert sent.status_code == 403

    async with at_pages(front, shop) as owner:
        assert "Ours takes 3 days." not in await owner.see(NEW)

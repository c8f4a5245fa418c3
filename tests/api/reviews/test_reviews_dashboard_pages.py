"""The review pages: read, claim, decide with one person and with two."""

from domain.agent.plan import ActionKind, PlannedAction
from domain.tenants.client import Role
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages, form_of
from tests.support.reviews.conversations import converse
from tests.support.reviews.reviews import DRAFT, open_review, refund
from tests.support.tenants.shop import Shop, open_shop

LIST = "/app/reviews"
INBOX = "/app/inbox"
REPLY = PlannedAction(kind=ActionKind.REPLY)
HOSTILE = "<script>alert(1)</script> \u202egnp"


async def test_a_review_is_approved_and_the_next_one_opens(front: LiveEngine, shop: Shop) -> None:
    first = await open_review(front.database, shop, text=HOSTILE, plan=(refund(12900), REPLY))
    second = await open_review(front.database, shop)
    async with at_pages(front, shop) as owner:
        assert f"{LIST}/{first}" in await owner.see(INBOX)
        page = await owner.see(f"{LIST}/{first}")
        assert "and refund €129.00 on order 1042" in page
        assert "<script>alert" not in page
        assert page.index(">Amount<") < page.index(">Draft<")

        approved = await owner.send(f"{LIST}/{first}", f"{LIST}/{first}/approve", sent(page, first))
        assert approved.headers["location"] == f"{LIST}/{second}"
        assert "Approved." in await owner.follow(approved)
        assert first in await owner.see(INBOX, view="decided")


async def test_a_mood_has_one_name_on_all_pages(front: LiveEngine, shop: Shop) -> None:
    """Whatever the customer's grammatical gender in French."""
    review_id = await open_review(front.database, shop, sentiment=-0.22)
    talk = await converse(front.database, shop, review_id)
    async with at_pages(front, shop, language="fr") as owner:
        for path in (f"{LIST}/{review_id}", f"/app/conversations/{talk}"):
            assert "Négatif" in await owner.see(path)


async def test_two_people_and_the_second_sees_the_difference(front: LiveEngine, shop: Shop) -> None:
    review_id = await open_review(
        front.database, shop, plan=(refund(12900), REPLY), needs_second=True
    )
    at = f"{LIST}/{review_id}"
    async with at_pages(front, shop) as owner, at_pages(front, shop, Role.AGENT) as agent:
        late = form_of(await owner.see(at), f"{at}/approve")
        page = await agent.follow(await agent.send(at, f"{at}/edit", {"text": "Mes mots."}))
        assert "Waiting for a second approval" in page
        assert "Send a teammate this link" in page

        refused = await owner.http.post(f"{at}/approve", data=late)
        changed = await owner.follow(refused)
        assert "The draft changed while you were reading" in changed
        assert "<ins>" in changed

        done = await owner.send(at, f"{at}/approve")
        assert done.headers["location"] == INBOX
        assert "Approved." in await owner.follow(done)


async def test_a_claim_keeps_others_away_and_loses_no_words(front: LiveEngine, shop: Shop) -> None:
    review_id = await open_review(front.database, shop)
    at = f"{LIST}/{review_id}"
    async with at_pages(front, shop) as owner, at_pages(front, shop, Role.AGENT) as agent:
        late = form_of(await agent.see(at), f"{at}/edit")
        await owner.send(at, f"{at}/claim")
        refused = await agent.http.post(f"{at}/edit", data={**late, "text": "Mes mots à moi."})
        page = await agent.follow(refused)
        assert "is working on this ticket" in page
        await owner.send(at, f"{at}/release")
        assert "Mes mots à moi." in await agent.see(at)


async def test_who_may_and_whose(front: LiveEngine, shop: Shop) -> None:
    other = await open_shop(front.database, brand="Autre")
    theirs = await open_review(front.database, other)
    mine = await open_review(front.database, shop)
    async with at_pages(front, shop, Role.VIEWER) as viewer:
        assert (await viewer.http.get(f"{LIST}/{theirs}")).status_code == 404
        page = await viewer.see(f"{LIST}/{mine}")
        assert DRAFT in page.replace("&#39;", "'")
        assert f"{LIST}/{mine}/approve" not in page


def sent(page: str, review_id: str) -> dict[str, str]:
    return form_of(page, f"{LIST}/{review_id}/approve")

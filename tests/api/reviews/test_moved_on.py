"""Reviews over HTTP after a later customer message: what reviewers see and must have read."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from domain.tenants.client import Role
from store.reviews.tables import escalation_tickets
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.reviews.conversations import converse, put_into, write_and_join
from tests.support.reviews.dashboard import REVIEWS, act, code, listed, person
from tests.support.reviews.reviews import DRAFT, open_review, refund
from tests.support.reviews.revisions import revise
from tests.support.tenants.shop import Shop

START = datetime(2026, 11, 21, 12, tzinfo=UTC)
MOVED_ON = (409, "conversation_moved_on")


async def show(front: LiveEngine, review_id: str, headers: dict[str, str]) -> dict[str, Any]:
    answer = await front.http.get(f"{REVIEWS}/{review_id}", headers=headers)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_messages_are_shown_in_order(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    review_id = await open_review(front.database, shop, now=START)
    conversation_id = await converse(front.database, shop, review_id)
    joined = [
        await write_and_join(
            front.database, shop, conversation_id, text, now=START + timedelta(minutes=minutes)
        )
        for minutes, text in enumerate(("Allô ?", "Laissez tomber."), start=1)
    ]

    seen = await show(front, review_id, owner)

    assert [(it["text"], it["received_at"]) for it in seen["messages"]] == [
        ("Remboursez-moi !", "2026-11-21T12:00:00.000Z"),
        ("Allô ?", "2026-11-21T12:01:00.000Z"),
        ("Laissez tomber.", "2026-11-21T12:02:00.000Z"),
    ]
    assert [it["event_id"] for it in seen["messages"]][1:] == joined
    assert seen["latest_message"] == joined[-1]
    assert (seen["text"], seen["turns"]) == ("Remboursez-moi !", [])


@pytest.mark.parametrize("what", ["approve", "edit"])
async def test_nobody_decides_without_the_latest(
    front: LiveEngine, shop: Shop, owner: dict[str, str], what: str
) -> None:
    """An old API client's request works until the customer writes again."""
    review_id = await open_review(front.database, shop)
    first = (await show(front, review_id, owner))["latest_message"]
    conversation_id = await converse(front.database, shop, review_id)
    latest = await write_and_join(front.database, shop, conversation_id)

    for seen in ({}, {"latest_message": None}, {"latest_message": first}):
        assert code(await act(front, review_id, what, owner, **seen)) == MOVED_ON
    assert (await only_row(front.database, escalation_tickets, of=shop))["status"] == "pending"
    decided = await act(front, review_id, what, owner, latest_message=latest)
    assert decided.status_code == 200


@pytest.mark.parametrize("what", ["approve", "edit"])
async def test_a_decision_names_the_plan_that_was_read(
    front: LiveEngine, shop: Shop, owner: dict[str, str], what: str
) -> None:
    """An old API client's request works until the agent changes the plan."""
    review_id = await open_review(front.database, shop, plan=(refund(4990),))
    plan = (refund(3500).model_copy(update={"order_number": "1043"}),)
    await revise(front.database, shop, review_id, "Autre brouillon.", *plan)

    seen = await show(front, review_id, owner)
    assert (seen["revision"], seen["draft"]) == (1, "Autre brouillon.")
    assert seen["plan"][0]["order_number"] == "1043"
    assert seen["amount"] == {"minor": 3500, "currency": "EUR"}
    for before in ({}, {"revision": None}, {"revision": 0}, {"revision": 2}):
        refused = await act(front, review_id, what, owner, **before)
        assert code(refused) == (409, "review_changed")
    assert (await only_row(front.database, escalation_tickets, of=shop))["status"] == "pending"
    decided = await act(front, review_id, what, owner, revision=1)
    assert decided.status_code == 200


async def test_the_first_message_may_be_named(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    review_id = await open_review(front.database, shop)
    first = (await show(front, review_id, owner))["latest_message"]
    stranger = "01J00000000000000000000000"
    assert code(await act(front, review_id, "approve", owner, latest_message=stranger)) == MOVED_ON
    approved = await act(front, review_id, "approve", owner, latest_message=first)
    assert approved.status_code == 200


async def test_a_rejection_names_none(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    review_id = await open_review(front.database, shop)
    conversation_id = await converse(front.database, shop, review_id)
    await write_and_join(front.database, shop, conversation_id)
    assert (await act(front, review_id, "reject", owner)).json()["status"] == "rejected"
    await write_and_join(front.database, shop, conversation_id, "Bonsoir.")
    seen = await show(front, review_id, owner)
    assert [it["text"] for it in seen["messages"][1:]] == ["Et alors ?", "Bonsoir."]


async def test_two_people_agree_once_more(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """Both approve the plan that they saw; only the text of the first approval remains."""
    anna = await person(front, shop, Role.AGENT)
    review_id = await open_review(front.database, shop, needs_second=True, plan=(refund(4990),))
    plan = (await show(front, review_id, owner))["plan"]
    conversation_id = await converse(front.database, shop, review_id)
    first = await act(front, review_id, "edit", anna, text="Les mots d'Anna.")
    assert first.json()["awaiting_second"] is True
    latest = await write_and_join(front.database, shop, conversation_id)

    seen = await show(front, review_id, owner)
    assert (seen["first_approved_by"], seen["first_approved_at"]) == (None, None)
    assert (seen["draft"], seen["agent_draft"]) == ("Les mots d'Anna.", DRAFT)
    assert code(await act(front, review_id, "approve", owner)) == MOVED_ON
    again = [
        await act(front, review_id, "approve", headers, draft=seen["draft"], latest_message=latest)
        for headers in (owner, anna)
    ]
    assert [answer.json()["awaiting_second"] for answer in again] == [True, False]
    done = await show(front, review_id, owner)
    assert (done["status"], done["plan"]) == ("approved", plan)


async def test_what_comes_after_an_approval_is_not_of_it(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """Another message was sensitive and opened another review, which a third message joined."""
    old = await open_review(front.database, shop)
    conversation_id = await converse(front.database, shop, old)
    await act(front, old, "approve", owner)
    new = await open_review(front.database, shop, text="Je suis blessée.", sensitive="health")
    await put_into(front.database, shop, conversation_id, new)
    await write_and_join(front.database, shop, conversation_id, "Répondez !")

    assert [it["text"] for it in (await show(front, old, owner))["messages"]] == [
        "Remboursez-moi !"
    ]
    seen = await show(front, new, owner)
    assert [it["text"] for it in seen["messages"]] == ["Je suis blessée.", "Répondez !"]
    assert (seen["urgent"], seen["sensitive"]) == (True, "health")
    assert [it["body"] for it in seen["turns"]] == ["Remboursez-moi !"]


@pytest.mark.parametrize("draft", ["", " \n"])
async def test_a_review_without_words(
    front: LiveEngine, shop: Shop, owner: dict[str, str], draft: str
) -> None:
    review_id = await open_review(front.database, shop, draft=draft)
    (line,) = await listed(front, owner)
    assert line["can_approve"] is (await show(front, review_id, owner))["can_approve"] is False
    assert code(await act(front, review_id, "approve", owner)) == (409, "draft_missing")
    assert (await act(front, review_id, "edit", owner)).status_code == 200


async def test_what_is_decided_cannot_be_approved(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    review_id = await open_review(front.database, shop)
    assert (await show(front, review_id, owner))["can_approve"] is True
    await act(front, review_id, "approve", owner)
    assert (await show(front, review_id, owner))["can_approve"] is False

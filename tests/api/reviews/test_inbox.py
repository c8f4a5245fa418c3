"""The inbox over HTTP: its pages, changes to several tickets, and saved views."""

from typing import Any

import pytest

from domain.tenants.client import Role
from store.reviews.tables import escalation_tickets
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.reviews.conversations import converse
from tests.support.reviews.dashboard import code, person
from tests.support.reviews.reviews import open_review
from tests.support.tenants.shop import Shop

INBOX = "/api/dashboard/inbox"
VIEWS = "/api/dashboard/inbox-views"


async def test_the_inbox_is_listed_page_by_page(front: LiveEngine, shop: Shop) -> None:
    ids = [await open_review(front.database, shop, text=f"m{n}") for n in range(3)]
    talk = await converse(front.database, shop, ids[0])
    viewer = await person(front, shop, Role.VIEWER)
    found: list[dict[str, Any]] = []
    query: dict[str, Any] = {"limit": 2}
    for _ in range(2):
        answer = await front.http.get(INBOX, params=query, headers=viewer)
        assert answer.status_code == 200, answer.text
        found += answer.json()["tickets"]
        query["cursor"] = answer.json()["next_cursor"]
    assert query["cursor"] is None
    assert [one["review_id"] for one in found] == ids
    assert (found[0]["conversation_id"], found[1]["conversation_id"]) == (talk, None)
    newest = await front.http.get(INBOX, params={"order": "newest"}, headers=viewer)
    assert [one["review_id"] for one in newest.json()["tickets"]] == ids[::-1]


@pytest.mark.parametrize(
    "query",
    [
        {"view": "none"},
        {"cursor": "x"},
        {"tag": "\0"},
        {"assignee": "\0"},
        {"min_amount": -1},
        {"limit": 0},
        {"mood": "unhappy"},
    ],
    ids=str,
)
async def test_queries_that_are_refused(
    front: LiveEngine, shop: Shop, query: dict[str, str | int]
) -> None:
    agent = await person(front, shop, Role.AGENT)
    answer = await front.http.get(INBOX, params=query, headers=agent)
    assert code(answer) == (400, "invalid_query")


async def test_several_drafts_are_rejected_with_a_note(front: LiveEngine, shop: Shop) -> None:
    one, other = [await open_review(front.database, shop) for _ in range(2)]
    talk = await converse(front.database, shop)
    agent = await person(front, shop, Role.AGENT)
    body = {"action": "reject", "review_ids": [one, other], "note": "Par téléphone."}
    refused = await front.http.patch(
        INBOX, json={**body, "conversation_ids": [talk]}, headers=agent
    )
    assert code(refused) == (409, "no_review_to_reject")
    done = await front.http.patch(INBOX, json=body, headers=agent)
    assert (done.status_code, done.json()) == (200, {"changed": 2, "to_decide": 0})
    for review in (one, other):
        row = await only_row(front.database, escalation_tickets, id=review)
        assert (row["status"], row["note"]) == ("rejected", "Par téléphone.")
    again = await front.http.patch(INBOX, json=body, headers=agent)
    assert code(again) == (409, "review_decided")


async def test_tickets_are_snoozed_and_assigned(front: LiveEngine, shop: Shop) -> None:
    review = await open_review(front.database, shop)
    ids = {"review_ids": [review], "conversation_ids": [await converse(front.database, shop)]}
    await converse(front.database, shop, review)
    agent = await person(front, shop, Role.AGENT)
    for body, answer in (
        ({"action": "snooze", "snoozed_until": "2027-01-01T09:00:00+01:00"}, 200),
        ({"action": "snooze"}, 400),
        ({"action": "assign", "assignee": shop.owner_user_id}, 200),
        ({"action": "assign", "assignee": "x"}, 400),
        ({"action": "close", "note": "x"}, 400),
        ({"action": "approve"}, 400),
        ({"action": "close"}, 200),
    ):
        done = await front.http.patch(INBOX, json={**ids, **body}, headers=agent)
        assert done.status_code == answer, (body, done.text)
        if answer == 200:
            assert done.json() == {"changed": 2, "to_decide": 1}
    none = await front.http.patch(INBOX, json={"action": "close"}, headers=agent)
    assert code(none) == (400, "invalid_triage")


async def test_a_view_is_saved_read_changed_and_deleted(front: LiveEngine, shop: Shop) -> None:
    agent = await person(front, shop, Role.AGENT)
    viewer = await person(front, shop, Role.VIEWER)
    filters = {"view": "all", "classification": "complaint"}
    made = await front.http.post(
        VIEWS, json={"name": "Plaintes", "filters": filters}, headers=agent
    )
    assert made.status_code == 201, made.text
    view = f"{VIEWS}/{made.json()['view_id']}"
    read = await front.http.get(view, headers=viewer)
    assert read.json() == made.json()
    assert {name: read.json()["filters"][name] for name in filters} == filters
    renamed = await front.http.patch(view, json={"name": "Réclamations"}, headers=agent)
    assert renamed.json()["filters"] == made.json()["filters"]
    listed = await front.http.get(VIEWS, headers=viewer)
    assert [one["name"] for one in listed.json()["views"]] == ["Réclamations"]
    for wrong in ({}, {"name": " "}, {"filters": {"view": "none"}}, {"filters": {"x": 1}}):
        answer = await front.http.patch(view, json=wrong, headers=agent)
        assert code(answer) == (400, "invalid_body"), wrong
    assert (await front.http.delete(view, headers=viewer)).status_code == 403
    assert (await front.http.delete(view, headers=agent)).status_code == 204
    assert code(await front.http.get(view, headers=viewer)) == (404, "inbox_view_not_found")

"""Replies, undo and internal notes over HTTP."""

import pytest

from adapters.system import new_ulid
from domain.tenants.client import Role
from services.reviews.takeovers import take_over
from store.runs.tables import conversation_notes, conversation_replies
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.core.units import units_on
from tests.support.reviews.dashboard import code, person
from tests.support.reviews.replies import BEN, WORDS, conversation_of
from tests.support.runs.conversation import write
from tests.support.tenants.shop import Shop

TALKS = "/api/dashboard/conversations"


async def test_a_reply_is_written_and_undone(front: LiveEngine, shop: Shop) -> None:
    ref = await write(front.database, shop)
    talk = await conversation_of(front.database, ref.event_id)
    agent = await person(front, shop, Role.AGENT)

    answer = await front.http.post(
        f"{TALKS}/{talk}/reply",
        json={"text": WORDS, "latest_message": ref.event_id},
        headers=agent,
    )
    assert answer.status_code == 200, answer.text
    told = answer.json()
    row = await only_row(front.database, conversation_replies, of=shop)
    assert (told["reply_id"], told["conversation_id"], told["state"]) == (
        row["id"],
        talk,
        "scheduled",
    )
    assert row["body"] == WORDS

    undo = f"/api/dashboard/replies/{told['reply_id']}/undo"
    undone = await front.http.post(undo, headers=agent)
    assert (undone.status_code, undone.json()["text"]) == (200, WORDS)
    assert await rows(front.database, conversation_replies, of=shop) == []
    again = await front.http.post(undo, headers=agent)
    assert code(again) == (404, "reply_not_found")


async def test_a_note_is_added(front: LiveEngine, shop: Shop) -> None:
    ref = await write(front.database, shop)
    talk = await conversation_of(front.database, ref.event_id)
    answer = await front.http.post(
        f"{TALKS}/{talk}/notes",
        json={"text": "À rappeler."},
        headers=await person(front, shop, Role.AGENT),
    )
    assert answer.status_code == 200, answer.text
    row = await only_row(front.database, conversation_notes, of=shop)
    assert (answer.json()["note_id"], row["body"]) == (row["id"], "À rappeler.")


@pytest.mark.parametrize(
    "body",
    [{}, {"text": ""}, {"text": " \n"}, {"text": "a\x00"}, {"text": "\x00"}, {"text": "a", "x": 1}],
)
@pytest.mark.parametrize("what", ["reply", "notes"])
async def test_what_is_no_text(
    front: LiveEngine, shop: Shop, what: str, body: dict[str, object]
) -> None:
    ref = await write(front.database, shop)
    talk = await conversation_of(front.database, ref.event_id)
    answer = await front.http.post(
        f"{TALKS}/{talk}/{what}", json=body, headers=await person(front, shop, Role.AGENT)
    )
    assert code(answer) == (400, "invalid_body")


async def test_what_refuses_a_reply(front: LiveEngine, shop: Shop) -> None:
    first = await write(front.database, shop)
    talk = await conversation_of(front.database, first.event_id)
    await write(front.database, shop)
    agent = await person(front, shop, Role.AGENT)
    behind = await front.http.post(
        f"{TALKS}/{talk}/reply",
        json={"text": WORDS, "latest_message": first.event_id},
        headers=agent,
    )
    assert code(behind) == (409, "conversation_moved_on")
    async with units_on(front.database).of(shop.tenant) as work:
        await take_over(work, BEN, talk)
    taken = await front.http.post(f"{TALKS}/{talk}/reply", json={"text": WORDS}, headers=agent)
    assert code(taken) == (409, "conversation_taken")
    assert taken.json()["taken_by"] == BEN.name
    unknown = await front.http.post(
        f"{TALKS}/{new_ulid()}/reply", json={"text": WORDS}, headers=agent
    )
    assert code(unknown) == (404, "conversation_not_found")


async def test_conversations_are_listed_read_and_changed(front: LiveEngine, shop: Shop) -> None:
    ref = await write(front.database, shop)
    talk = await conversation_of(front.database, ref.event_id)
    agent = await person(front, shop, Role.AGENT)
    until = "2027-01-01T09:00:00+01:00"
    body = {"status": "snoozed", "snoozed_until": until, "tags": ["vip"]}

    changed = await front.http.patch(f"{TALKS}/{talk}", json=body, headers=agent)
    assert changed.status_code == 200, changed.text
    assert changed.json() == {
        "status": "snoozed",
        "snoozed_until": "2027-01-01T08:00:00.000Z",
        "assignee": None,
        "tags": ["vip"],
    }
    await front.http.post(f"{TALKS}/{talk}/notes", json={"text": "Vue."}, headers=agent)
    await front.http.post(f"{TALKS}/{talk}/reply", json={"text": WORDS}, headers=agent)
    shown = (await front.http.get(f"{TALKS}/{talk}", headers=agent)).json()
    assert shown["triage"] == changed.json()
    assert [one["body"] for one in shown["notes"]] == ["Vue."]
    assert [one["body"] for one in shown["unsent_replies"]] == [WORDS]
    assert [one["author"] for one in shown["messages"]] == ["customer"]
    for query, count in (({"status": "snoozed", "tag": "vip"}, 1), ({"status": "open"}, 0)):
        page = (await front.http.get(TALKS, params=query, headers=agent)).json()
        assert len(page["conversations"]) == count, query
    first = (await front.http.get(TALKS, params={"limit": 1}, headers=agent)).json()
    assert first["next_cursor"] is None


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({}, "invalid_body"),
        ({"status": "gone"}, "invalid_body"),
        ({"status": "snoozed"}, "invalid_triage"),
        ({"status": "snoozed", "snoozed_until": "9999-12-31T23:59:59-12:00"}, "invalid_triage"),
        ({"tags": [""]}, "invalid_body"),
        ({"assignee": "nobody"}, "invalid_triage"),
    ],
)
async def test_what_is_no_change(
    front: LiveEngine, shop: Shop, body: dict[str, object], told: str
) -> None:
    ref = await write(front.database, shop)
    talk = await conversation_of(front.database, ref.event_id)
    agent = await person(front, shop, Role.AGENT)
    answer = await front.http.patch(f"{TALKS}/{talk}", json=body, headers=agent)
    assert code(answer) == (400, told)


async def test_several_conversations_are_changed(front: LiveEngine, shop: Shop) -> None:
    agent = await person(front, shop, Role.AGENT)
    talks = sorted(
        [
            await conversation_of(
                front.database, (await write(front.database, shop, key=f"email:{n}")).event_id
            )
            for n in range(2)
        ]
    )
    body = {"conversation_ids": talks, "status": "closed"}
    changed = await front.http.patch(TALKS, json=body, headers=agent)
    assert changed.status_code == 200, changed.text
    assert [(one["conversation_id"], one["status"]) for one in changed.json()["conversations"]] == [
        (talk, "closed") for talk in talks
    ]
    unknown = {"conversation_ids": [*talks, new_ulid()], "status": "open"}
    refused = await front.http.patch(TALKS, json=unknown, headers=agent)
    assert code(refused) == (404, "conversation_not_found")
    page = (await front.http.get(TALKS, params={"status": "closed"}, headers=agent)).json()
    assert len(page["conversations"]) == 2
    for wrong in (
        {"conversation_ids": talks},
        {"conversation_ids": [], "status": "open"},
        {"conversation_ids": [new_ulid() for _ in range(101)], "status": "open"},
        {"conversation_ids": talks, "status": "open", "tags": ["vip"]},
    ):
        answer = await front.http.patch(TALKS, json=wrong, headers=agent)
        assert code(answer) == (400, "invalid_body"), wrong

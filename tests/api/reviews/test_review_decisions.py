"""Claims and decisions over HTTP: one person, two people, twenty at once."""

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from domain.agent.plan import ActionKind, PlannedAction
from domain.tenants.client import Role
from store.reviews.tables import escalation_tickets
from store.tenants.members import MemberRepository
from store.tenants.tables import clients
from tests.support.core.engine import LiveEngine, live_engine
from tests.support.core.rows import only_row
from tests.support.reviews.dashboard import ACTIONS, REVIEWS, act, code, listed, person, set_clock
from tests.support.reviews.reviews import DRAFT, open_review, refund
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.shop import Shop, open_shop

START = datetime(2026, 11, 21, 12, tzinfo=UTC)
REPLY = PlannedAction(kind=ActionKind.REPLY)


async def test_claims(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    anna, ben = [await person(front, shop, Role.AGENT) for _ in range(2)]
    review_id = await open_review(front.database, shop)
    set_clock(front, START)

    claimed = await act(front, review_id, "claim", anna)
    anna_id = claimed.json()["claim"]["by"]
    assert claimed.json() == {
        "review_id": review_id,
        "status": "claimed",
        "claim": {
            "by": anna_id,
            "at": "2026-11-21T12:00:00.000Z",
            "until": "2026-11-21T12:30:00.000Z",
        },
    }
    for what in ACTIONS:
        refused = await act(front, review_id, what, ben)
        assert code(refused) == (409, "review_claimed")
        assert refused.json()["claimed_by"] == anna_id
    assert code(await act(front, review_id, "claim", ben, force=True)) == (403, "role_required")
    assert (await act(front, review_id, "claim", owner, force=True)).status_code == 200
    assert code(await act(front, review_id, "release", anna)) == (409, "review_claimed")
    assert (await act(front, review_id, "release", owner)).json()["status"] == "pending"
    assert (await act(front, review_id, "claim", anna)).status_code == 200
    set_clock(front, START + timedelta(minutes=30))
    assert (await act(front, review_id, "approve", ben)).status_code == 200


async def test_two_people(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    """The second reviewer approves the first reviewer's text."""
    anna = await person(front, shop, Role.AGENT)
    review_id = await open_review(front.database, shop, needs_second=True, plan=(refund(1), REPLY))
    await act(front, review_id, "claim", anna)

    first = await act(front, review_id, "edit", anna, text="Les mots d'Anna.")
    assert first.json() == {
        "review_id": review_id, "status": "pending", "awaiting_second": True, "signalled": False
    }  # fmt: skip
    for what in ("approve", "edit"):
        again = await act(front, review_id, what, anna)
        assert code(again) == (409, "second_person_required")
    seen = (await front.http.get(f"{REVIEWS}/{review_id}", headers=owner)).json()
    assert (seen["draft"], seen["agent_draft"]) == ("Les mots d'Anna.", DRAFT)
    assert seen["first_approved_by"]
    assert not seen["claim"]
    stale = await act(front, review_id, "approve", owner, draft=DRAFT)
    assert code(stale) == (409, "review_changed")

    second = await act(front, review_id, "approve", owner, draft=seen["draft"])

    assert (second.json()["status"], second.json()["awaiting_second"]) == ("approved", False)
    row = await only_row(front.database, escalation_tickets, of=shop)
    assert (row["decided_by"], row["edited_text"]) == (shop.owner_user_id, "Les mots d'Anna.")
    assert code(await act(front, review_id, "reject", anna)) == (409, "review_decided")


async def test_one_person_is_enough_to_reject(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    review_id = await open_review(front.database, shop, needs_second=True)
    await act(front, review_id, "approve", owner)
    rejected = await act(front, review_id, "reject", owner, note="Trop cher.")

    assert rejected.json()["status"] == "rejected"
    seen = (await front.http.get(f"{REVIEWS}/{review_id}", headers=owner)).json()
    assert (seen["status"], seen["note"]) == ("rejected", "Trop cher.")


async def test_nothing_to_approve(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    review_id = await open_review(front.database, shop, draft="")
    assert code(await act(front, review_id, "approve", owner)) == (409, "draft_missing")
    assert (await act(front, review_id, "edit", owner)).json()["status"] == "edited"


async def test_of_twenty_deciders_one_wins(front: LiveEngine, shop: Shop) -> None:
    review_id = await open_review(front.database, shop)
    people = [await person(front, shop, Role.AGENT) for _ in range(20)]
    whats = ["approve", "edit", "reject", "approve"] * 5

    answers = await asyncio.gather(
        *(act(front, review_id, what, headers) for what, headers in zip(whats, people, strict=True))
    )

    assert Counter(map(code, answers)) == {(200, ""): 1, (409, "review_decided"): 19}
    (winner,) = (answer for answer in answers if answer.status_code == 200)
    row = await only_row(front.database, escalation_tickets, of=shop)
    assert row["status"] == winner.json()["status"]


async def test_of_twenty_deciders_two_agree(front: LiveEngine, shop: Shop) -> None:
    review_id = await open_review(front.database, shop, needs_second=True)
    people = [await person(front, shop, Role.AGENT) for _ in range(20)]

    answers = await asyncio.gather(*(act(front, review_id, "approve", one) for one in people))

    assert Counter(answer.status_code for answer in answers) == {200: 2, 409: 18}
    waiting = [a.json()["awaiting_second"] for a in answers if a.status_code == 200]
    assert sorted(waiting) == [False, True]
    row = await only_row(front.database, escalation_tickets, of=shop)
    assert row["decided_by"] != row["first_approved_by"]


@pytest.mark.parametrize(
    ("what", "body", "expected"),
    [
        ("edit", b"", (415, "unsupported_media_type")),
        ("edit", b"{}", (400, "invalid_body")),
        ("edit", b'{"text": " "}', (400, "invalid_body")),
        ("edit", b'{"text": 1}', (400, "invalid_body")),
        ("edit", b'{"text": "a", "x": 1}', (400, "invalid_body")),
        ("edit", b'{"text": "a", "text": "b"}', (400, "invalid_body")),
        ("edit", b'{"text": "' + b"a" * 20_001 + b'"}', (400, "invalid_body")),
        ("approve", b"[]", (400, "invalid_body")),
        ("approve", b'{"text": "a"}', (400, "invalid_body")),
        ("claim", b'{"force": "true"}', (400, "invalid_body")),
        ("release", b'{"force": true}', (400, "invalid_body")),
        ("reject", b'{"note": 1}', (400, "invalid_body")),
        ("reject", b'{"note": "\\u0000"}', (400, "invalid_body")),
    ],
)
async def test_bodies_are_strict(
    front: LiveEngine,
    shop: Shop,
    owner: dict[str, str],
    what: str,
    body: bytes,
    expected: tuple[int, str],
) -> None:
    review_id = await open_review(front.database, shop)
    headers = {**owner, **({"content-type": "application/json"} if body else {})}
    answer = await front.http.post(f"{REVIEWS}/{review_id}/{what}", content=body, headers=headers)

    assert code(answer) == expected
    assert (await only_row(front.database, escalation_tickets, of=shop))["status"] == "pending"


async def test_a_user_has_120_requests_a_minute(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    set_clock(front, START)
    statuses = [
        (await front.http.get(f"{REVIEWS}/nothing", headers=owner)).status_code for _ in range(121)
    ]
    assert Counter(statuses) == {404: 120, 429: 1}
    other = await person(front, shop, Role.AGENT)
    assert (await front.http.get(REVIEWS, headers=other)).status_code == 200


async def test_temporal_away(database_url: str, shop: Shop) -> None:
    """The decision is stored; the sweeper signals the run."""
    async with live_engine(database_url, "127.0.0.1:1", "default", lazy=True) as engine:
        review_id = await open_review(engine.database, shop)
        headers = bearer(session_token(engine.settings, shop.owner_user_id))

        answer = await act(engine, review_id, "approve", headers)

        assert answer.status_code == 200
        assert answer.json() == {
            "review_id": review_id, "status": "approved", "awaiting_second": False,
            "signalled": False,
        }  # fmt: skip
        row = await only_row(engine.database, escalation_tickets, of=shop)
        assert (row["status"], row["taken_up_at"]) == ("approved", None)


async def test_a_decision_over_http_goes_on_with_the_run(engine: LiveEngine, shop: Shop) -> None:
    body = (await engine.post(shop, message="Je veux parler à un conseiller, svp")).json()
    headers = bearer(session_token(engine.settings, shop.owner_user_id))
    (found,) = await listed(engine, headers)

    answer = await act(engine, found["id"], "edit", headers, text="Un conseiller vous appelle.")

    assert answer.json()["signalled"] is True
    facts = await engine.run_of(shop, body["event_id"]).result()
    assert facts["status"] == "completed"


async def test_a_user_who_is_no_longer_a_member(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """The owner's membership row ends with the ownership."""
    review_id = await open_review(front.database, shop)
    other = await open_shop(front.database)
    async with front.database.service() as connection:
        await connection.execute(
            sa.update(clients)
            .where(clients.c.id == shop.client_id)
            .values(owner_user_id=other.owner_user_id)
        )
        await MemberRepository(connection).remove(shop.client_id, shop.owner_user_id)
    assert code(await act(front, review_id, "approve", owner)) == (404, "review_not_found")

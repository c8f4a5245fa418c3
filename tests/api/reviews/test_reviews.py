"""/api/dashboard/reviews: the responses."""

from datetime import UTC, datetime

import pytest

from adapters.system import new_ulid, utc_now
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import ActionKind, PlannedAction
from domain.core.ids import TenantId
from domain.core.json_time import rfc3339
from domain.core.money import Money
from domain.integrations.order import Lookup, LookupState, Order, OrderState
from domain.integrations.providers import Provider
from domain.reviews.escalation import Decision
from domain.tenants.client import Role
from store.tenants.members import MemberRepository
from tests.support.core.engine import LiveEngine
from tests.support.intake.attachments import PHOTO, PROGRAM, keep_attachments
from tests.support.reviews.dashboard import REVIEWS, act, admin, code, listed, person
from tests.support.reviews.reviews import DRAFT, open_review, refund
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.shop import Shop, open_shop

START = datetime(2026, 11, 21, 12, tzinfo=UTC)
REPLY = PlannedAction(kind=ActionKind.REPLY)


async def test_detail(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    order = Order(
        integration_id=new_ulid(),
        provider=Provider.SHOPIFY,
        id="gid-1",
        number="1042",
        customer_email="emma@example.com",
        state=OrderState.DELIVERED,
        total=Money(minor=4990, currency="EUR"),
        refundable=Money(minor=4990, currency="EUR"),
        placed_at=START,
    )
    review_id = await open_review(
        front.database,
        shop,
        plan=(refund(4990), REPLY),
        needs_second=True,
        reason=EscalationReason.POLICY_RESTRICTION,
        lookup=Lookup(state=LookupState.FOUND, order=order).model_dump(mode="json"),
        citations=[{"kind": "order", "id": "gid-1", "title": "Order 1042"}],
        alternatives=[{"category": "complaint", "confidence": 0.25}],
        steps=[{"kind": "refund", "state": "unknown", "detail": "interrupted"}],
        now=START,
    )
    answer = await front.http.get(f"{REVIEWS}/{review_id}", headers=owner)

    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["ratelimit-policy"] == '"dashboard";q=120;w=60'
    body = answer.json()
    assert body.pop("run_id")
    first = body.pop("latest_message")
    await _shows_a_file(front, shop, owner, review_id, first)
    assert body.pop("messages") == [
        {
            "event_id": first,
            "text": "Remboursez-moi !",
            "received_at": "2026-11-21T12:00:00.000Z",
            "attachments": [],
            "covered": True,
            "in_draft": False,
            "answered": False,
            "classification": None,
            "intent": None,
            "plan": [],
        }
    ]
    assert body.pop("verdicts") == [
        {"kind": kind, "ruling": "needs_second", "reason": None} for kind in ("refund", "reply")
    ]
    assert [step["kind"] for step in body["plan"]] == ["refund", "reply"]
    assert body.pop("plan")[0]["amount"] == {"minor": 4990, "currency": "EUR"}
    placed_at = rfc3339(START, "milliseconds")
    assert body.pop("order") == {**order.model_dump(mode="json"), "placed_at": placed_at}
    assert body == {
        "id": review_id,
        "client_id": shop.client_id,
        "authors": [],
        "revision": 0,
        "status": "pending",
        "reason": "policy_restriction",
        "urgent": False,
        "sensitive": None,
        "model_fault": None,
        "can_approve": True,
        "classification": "refund_request",
        "confidence": 0.5,
        "alternatives": [{"category": "complaint", "confidence": 0.25}],
        "citations": [{"kind": "order", "id": "gid-1", "title": "Order 1042"}],
        "guard_findings": [],
        "steps": [{"kind": "refund", "state": "unknown", "detail": "interrupted", "begun": True}],
        "customer_email": None,
        "subject": None,
        "preview": "Remboursez-moi !",
        "draft_preview": DRAFT,
        "text": "Remboursez-moi !",
        "draft": DRAFT,
        "agent_draft": DRAFT,
        "acknowledgement": None,
        "amount": {"minor": 4990, "currency": "EUR"},
        "needs_second": True,
        "first_approved_by": None,
        "first_approved_at": None,
        "claim": None,
        "turns": [],
        "waiting": None,
        "decided_by": None,
        "decided_at": None,
        "note": None,
        "created_at": "2026-11-21T12:00:00.000Z",
        "expires_at": "2026-11-24T12:00:00.000Z",
    }


async def _shows_a_file(
    front: LiveEngine, shop: Shop, owner: dict[str, str], review_id: str, event_id: str
) -> None:
    """Check that a message's files are listed with its text."""
    kept, refused = await keep_attachments(
        front.database, TenantId(shop.client_id), event_id, PHOTO, PROGRAM
    )
    body = (await front.http.get(f"{REVIEWS}/{review_id}", headers=owner)).json()
    shown = [(one["id"], one["state"], one["reason"]) for one in body["messages"][0]["attachments"]]
    assert shown == [(kept.id, "stored", None), (refused.id, "refused", "executable")]


@pytest.mark.parametrize(
    "state", [LookupState.NOT_THEIRS, LookupState.NOT_FOUND, LookupState.UNAVAILABLE]
)
async def test_nobody_is_shown_an_order_that_is_not_theirs(
    front: LiveEngine, shop: Shop, owner: dict[str, str], state: LookupState
) -> None:
    lookup = {"state": state.value, "order": {"number": "1042"}}
    review_id = await open_review(front.database, shop, lookup=lookup)
    answer = await front.http.get(f"{REVIEWS}/{review_id}", headers=owner)
    assert answer.json()["order"] is None


async def test_earlier_turns(engine: LiveEngine, shop: Shop) -> None:
    """Only earlier messages of this conversation, in order."""
    emma, leo = "emma@example.com", "leo@example.com"
    first = (await engine.post(shop, message="Un", customer_email=emma)).json()
    await engine.post(shop, message="Un ?", customer_email=leo)
    review = await engine.review_of(first["run_id"], round_=0)
    await engine.decide(review["id"], Decision.EDIT, "Oui.")
    await engine.run_of(shop, first["event_id"]).result()
    for text in ("Deux", "Trois"):
        second = (await engine.post(shop, message=text, customer_email=emma)).json()
        await engine.post(shop, message=text + " ?", customer_email=leo)
    headers = bearer(session_token(engine.settings, shop.owner_user_id))
    emmas = [it for it in await listed(engine, headers) if it["customer_email"] == emma]
    (waiting,) = emmas
    body = (await engine.http.get(f"{REVIEWS}/{waiting['id']}", headers=headers)).json()

    assert body["text"] == "Deux"
    assert body["turns"] == [
        {"author": "customer", "body": "Un"},
        {"author": "human", "body": "Oui."},
    ]
    assert [it["text"] for it in body["messages"]] == ["Deux", "Trois"]
    assert body["latest_message"] == second["event_id"]


async def test_a_mails_sender_is_shown(engine: LiveEngine, shop: Shop) -> None:
    """The recipient of the answer is shown, although the caller named nobody."""
    mail = {"event_type": "email.received", "from": "Emma <emma@example.com>"}
    answer = await engine.post(shop, message="Trois", **mail)
    assert answer.json()["status"] == "needs_review", answer.text
    headers = bearer(session_token(engine.settings, shop.owner_user_id))

    (review,) = await listed(engine, headers)
    assert review["customer_email"] == "emma@example.com"


async def test_filters(front: LiveEngine, shop: Shop, owner: dict[str, str]) -> None:
    database = front.database
    plain = await open_review(database, shop)
    euros = await open_review(database, shop, plan=(refund(5000),))
    wish = await open_review(database, shop, reason=EscalationReason.CUSTOMER_REQUEST)
    other = await open_review(database, shop, classification="complaint")
    injury = await open_review(database, shop, sensitive="health")
    done = await open_review(database, shop)
    await act(front, done, "reject", owner)
    await act(front, wish, "claim", owner)

    async def ids(**query: str | int) -> list[str]:
        return [it["id"] for it in await listed(front, owner, **query)]

    assert await ids() == [injury, plain, euros, wish, other]
    assert await ids(order="newest") == [injury, other, wish, euros, plain]
    assert await ids(status="all") == [injury, plain, euros, wish, other, done]
    assert await ids(status="pending") == [injury, plain, euros, other]
    assert await ids(urgent="true") == [injury]
    assert await ids(urgent="false") == [plain, euros, wish, other]
    assert await ids(status="rejected") == [done]
    assert await ids(status="expired") == []
    assert await ids(reason="customer_request") == [wish]
    assert await ids(classification="complaint") == [other]
    assert await ids(claimed_by=shop.owner_user_id) == [wish]
    assert await ids(min_amount=5000) == [euros]
    assert await ids(min_amount=5001) == []
    assert await ids(client_id=shop.client_id.lower(), limit=2) == [injury, plain]


@pytest.mark.parametrize(
    "query",
    [
        "status=", "status=done", "reason=x", "classification=x", "claimed_by=", "claimed_by=%00",
        "min_amount=-1", "min_amount=1.5", "limit=0", "limit=101", "limit=x", "order=up",
        "cursor=", "cursor=x", "cursor=AAAA", "cursor=MjAyNi0xMS0yMSB4", "cursor=%ff",
        "limit=1&limit=2", "sort=up", "urgent=", "urgent=maybe",
    ],
)  # fmt: skip
async def test_queries_that_are_none(
    front: LiveEngine, shop: Shop, owner: dict[str, str], query: str
) -> None:
    answer = await front.http.get(f"{REVIEWS}?{query}", headers=owner)
    assert code(answer) == (400, "invalid_query")


async def test_lists_are_of_one_client(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    mine = await open_review(front.database, shop)
    await open_review(front.database, await open_shop(front.database))

    assert [it["id"] for it in await listed(front, owner)] == [mine]
    seen = await listed(front, admin(front), client_id=shop.client_id)
    assert [it["id"] for it in seen] == [mine]


async def test_internal_admins_may_take_over(front: LiveEngine, shop: Shop) -> None:
    agent, headers = await person(front, shop, Role.AGENT), admin(front)
    review_id = await open_review(front.database, shop)
    await act(front, review_id, "claim", agent)

    assert (await act(front, review_id, "claim", headers, force=True)).status_code == 200
    assert (await act(front, review_id, "approve", headers)).status_code == 200


async def test_a_member_of_two_clients_needs_no_client_id(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    other = await open_shop(front.database)
    async with front.database.service() as connection:
        members = MemberRepository(connection)
        await members.add(other.client_id, shop.owner_user_id, Role.AGENT, utc_now())
    theirs = await open_review(front.database, other)

    assert (await act(front, theirs, "approve", owner)).status_code == 200

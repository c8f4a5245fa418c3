"""/api/dashboard/reviews: who may use it."""

import pytest

from adapters.system import new_ulid, utc_now
from domain.tenants.client import Role
from store.reviews.tables import escalation_tickets
from store.tenants.members import MemberRepository
from tests.support.core.engine import ENGINE_SECRET, LiveEngine
from tests.support.core.rows import only_row, row_counts
from tests.support.reviews.dashboard import ACTIONS, REVIEWS, act, admin, code, listed, person
from tests.support.reviews.reviews import open_review
from tests.support.tenants.identity import bearer
from tests.support.tenants.shop import Shop, open_shop


@pytest.mark.parametrize("role", list(Role))
async def test_roles(front: LiveEngine, shop: Shop, role: Role) -> None:
    headers = await person(front, shop, role)
    review_id = await open_review(front.database, shop)

    assert [it["id"] for it in await listed(front, headers)] == [review_id]
    seen = await front.http.get(f"{REVIEWS}/{review_id.lower()}", headers=headers)
    assert seen.status_code == 200
    for what in ACTIONS:
        review_id = await open_review(front.database, shop)
        answer = await act(front, review_id, what, headers)
        if role is Role.VIEWER:
            assert code(answer) == (403, "role_required")
            assert (await only_row(front.database, escalation_tickets, id=review_id))[
                "status"
            ] == "pending"
        else:
            assert answer.status_code == 200, answer.text


async def test_internal_admins_may_do_all(front: LiveEngine, shop: Shop) -> None:
    headers = admin(front)
    agent = await person(front, shop, Role.AGENT)
    review_id = await open_review(front.database, shop)
    await act(front, review_id, "claim", agent)

    assert len(await listed(front, headers, client_id=shop.client_id)) == 1
    assert (await act(front, review_id, "claim", headers, force=True)).status_code == 200
    assert (await act(front, review_id, "approve", headers)).status_code == 200
    unknown = await front.http.get(REVIEWS, params={"client_id": new_ulid()}, headers=headers)
    assert code(unknown) == (404, "client_not_found")
    assert code(await front.http.get(REVIEWS, headers=headers)) == (403, "no_client")


@pytest.mark.parametrize("what", ["list", "detail", *ACTIONS])
async def test_only_people_who_are_signed_in(front: LiveEngine, shop: Shop, what: str) -> None:
    """A key or a secret that leaked decides nothing, not even about its own client."""
    review_id = await open_review(front.database, shop)
    before = await only_row(front.database, escalation_tickets, of=shop)
    for headers in (
        {},
        shop.headers,
        {"x-engine-secret": ENGINE_SECRET},
        {"x-internal-secret": ENGINE_SECRET},
        bearer("no.token.at-all"),
    ):
        if what in ACTIONS:
            answer = await act(front, review_id, what, headers)
        else:
            path = REVIEWS if what == "list" else f"{REVIEWS}/{review_id}"
            answer = await front.http.get(path, headers=headers)
        assert code(answer) == (401, "unauthenticated")
        assert answer.headers["www-authenticate"] == "Bearer"
        assert answer.headers["cache-control"] == "no-store"
    assert await only_row(front.database, escalation_tickets, of=shop) == before


@pytest.mark.parametrize("what", ["detail", *ACTIONS])
async def test_another_clients_review_looks_like_none(
    front: LiveEngine, shop: Shop, owner: dict[str, str], what: str
) -> None:
    other = await open_shop(front.database)
    theirs = await open_review(front.database, other)
    before = (
        await row_counts(front.database),
        await only_row(front.database, escalation_tickets, id=theirs),
    )
    bodies = []
    for review_id in (theirs, new_ulid(), "nothing"):
        if what in ACTIONS:
            answer = await act(front, review_id, what, owner)
        else:
            answer = await front.http.get(f"{REVIEWS}/{review_id}", headers=owner)
        assert code(answer) == (404, "review_not_found")
        body = answer.json()
        assert body.pop("request_id")
        bodies.append((body, sorted(answer.headers)))
    assert bodies[0] == bodies[1] == bodies[2]
    assert before == (
        await row_counts(front.database),
        await only_row(front.database, escalation_tickets, id=theirs),
    )


async def test_lists_are_of_one_client(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    other = await open_shop(front.database)
    mine = await open_review(front.database, shop)
    await open_review(front.database, other)

    assert [it["id"] for it in await listed(front, owner)] == [mine]
    for client_id in (other.client_id, new_ulid(), "nothing"):
        answer = await front.http.get(REVIEWS, params={"client_id": client_id}, headers=owner)
        assert code(answer) == (403, "access_denied")


async def test_a_member_of_two_clients_needs_no_client_id(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    other = await open_shop(front.database)
    async with front.database.service() as connection:
        members = MemberRepository(connection)
        await members.add(other.client_id, shop.owner_user_id, Role.AGENT, utc_now())
    theirs = await open_review(front.database, other)

    assert (await act(front, theirs, "approve", owner)).status_code == 200

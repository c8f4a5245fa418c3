"""A member does not approve a request for money that a key of their own sent."""

import pytest

from adapters.system import new_ulid, utc_now
from domain.tenants.client import Role
from store.reviews.tables import escalation_tickets
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.reviews.dashboard import act, code, person
from tests.support.reviews.reviews import open_review, refund
from tests.support.tenants.joined import join
from tests.support.tenants.shop import Shop

REFUND = (refund(4_900),)


async def key_of(front: LiveEngine, headers: dict[str, str]) -> str:
    """The id of a key that this manager has made."""
    answer = await front.http.post("/api/dashboard/keys", json={"label": "ERP"}, headers=headers)
    assert answer.status_code == 201, answer.text
    key_id: str = answer.json()["key"]["id"]
    return key_id


@pytest.mark.parametrize("needs_second", [False, True])
async def test_the_maker_of_a_key_sends_a_request_and_approves_it(
    front: LiveEngine, shop: Shop, owner: dict[str, str], needs_second: bool
) -> None:
    maker = await person(front, shop, Role.ADMIN)
    review_id = await open_review(
        front.database,
        shop,
        needs_second=needs_second,
        plan=REFUND,
        key_id=await key_of(front, maker),
    )
    assert (await only_row(front.database, escalation_tickets, id=review_id))["amount"] == 4_900

    for what in ("approve", "edit"):
        assert code(await act(front, review_id, what, maker)) == (403, "own_request")
    answer = await act(front, review_id, "approve", owner)

    assert answer.json()["awaiting_second"] is needs_second
    if needs_second:
        assert code(await act(front, review_id, "approve", maker)) == (403, "own_request")
    else:
        assert answer.json()["status"] == "approved"


async def test_the_maker_may_reject_and_approve_what_moves_no_money(
    front: LiveEngine, shop: Shop
) -> None:
    maker = await person(front, shop, Role.ADMIN)
    key_id = await key_of(front, maker)
    money, words = [
        await open_review(front.database, shop, key_id=key_id, **more)  # type: ignore[arg-type]
        for more in ({"plan": REFUND}, {})
    ]

    assert (await act(front, money, "reject", maker)).status_code == 200
    assert (await act(front, words, "approve", maker)).status_code == 200


async def test_a_manager_without_colleagues_approves_what_the_shops_key_sent(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """Nobody else could, and every key of the shop is theirs."""
    viewer = await person(front, shop, Role.VIEWER)
    key_id = await key_of(front, owner)
    review_id, two = [
        await open_review(
            front.database, shop, plan=REFUND, key_id=key_id, needs_second=needs_second
        )
        for needs_second in (False, True)
    ]

    assert (await act(front, review_id, "approve", viewer)).status_code == 403
    assert (await act(front, review_id, "approve", owner)).status_code == 200
    assert code(await act(front, two, "approve", owner)) == (403, "own_request")


async def test_an_owner_who_removes_the_colleagues_first_still_needs_one(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    key_id = await key_of(front, owner)
    colleague = await person(front, shop, Role.ADMIN)
    review_id = await open_review(front.database, shop, plan=REFUND, key_id=key_id)
    members = (await front.http.get("/api/dashboard/members", headers=owner)).json()["members"]
    (colleague_id,) = [one["user_id"] for one in members if one["role"] == "admin"]
    path = f"/api/dashboard/members/{colleague_id}"
    assert (await front.http.delete(path, headers=owner)).status_code == 204

    assert (await act(front, review_id, "approve", colleague)).status_code == 404
    assert code(await act(front, review_id, "approve", owner)) == (403, "own_request")


async def test_a_colleague_of_an_hour_is_one(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """Who may decide alone need not be fit for four eyes."""
    key_id = await key_of(front, owner)
    async with front.database.service() as connection:
        await join(
            connection, shop.client_id, new_ulid(), Role.AGENT, joined_at=utc_now(), verified=False
        )
    review_id = await open_review(front.database, shop, plan=REFUND, key_id=key_id)

    assert code(await act(front, review_id, "approve", owner)) == (403, "own_request")

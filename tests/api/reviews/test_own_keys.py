"""A member cannot approve a request for money that their own key sent."""

from datetime import datetime

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.system import new_ulid, utc_now
from domain.tenants.client import Role
from store.identity.tables import invitations
from store.reviews.tables import escalation_tickets
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.reviews.dashboard import act, code, person
from tests.support.reviews.reviews import open_review, refund
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.joined import LONG_AGO, join
from tests.support.tenants.shop import Shop

REFUND = (refund(4_900),)


async def key_of(front: LiveEngine, headers: dict[str, str]) -> str:
    """Return the id of a key that this manager created."""
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
    """Nobody else could approve, and all of the shop's keys are theirs."""
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


@pytest.mark.parametrize("is_mailbox", [True, False], ids=["the same mailbox", "a guest of today"])
async def test_the_maker_does_not_approve_under_a_second_address(
    front: LiveEngine, shop: Shop, owner: dict[str, str], *, is_mailbox: bool
) -> None:
    maker_id, second_id = new_ulid(), new_ulid()
    email = f"{maker_id}+two@example.com" if is_mailbox else f"{second_id}@example.com"
    async with front.database.service() as connection:
        await join(connection, shop.client_id, maker_id, Role.ADMIN)
        if is_mailbox:
            await join(connection, shop.client_id, second_id, Role.AGENT, email=email)
        else:
            await accept(connection, shop, maker_id, second_id, utc_now())
    maker, second = [
        bearer(session_token(front.settings, user_id)) for user_id in (maker_id, second_id)
    ]
    review_id = await open_review(
        front.database, shop, plan=REFUND, key_id=await key_of(front, maker)
    )

    for headers in (maker, second):
        assert code(await act(front, review_id, "approve", headers)) == (403, "own_request")
    assert (await act(front, review_id, "approve", owner)).status_code == 200


async def test_a_guest_of_two_days_is_a_colleague(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    key_id, guest_id = await key_of(front, owner), new_ulid()
    async with front.database.service() as connection:
        await accept(connection, shop, shop.owner_user_id, guest_id, utc_now() - LONG_AGO)
    review_id = await open_review(front.database, shop, plan=REFUND, key_id=key_id)

    assert code(await act(front, review_id, "approve", owner)) == (403, "own_request")
    guest = bearer(session_token(front.settings, guest_id))
    assert (await act(front, review_id, "approve", guest)).status_code == 200


async def test_an_owner_with_a_guest_of_today_alone_decides_as_before(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """Otherwise nobody could decide until the next day."""
    key_id = await key_of(front, owner)
    async with front.database.service() as connection:
        await accept(connection, shop, shop.owner_user_id, new_ulid(), utc_now())
    review_id = await open_review(front.database, shop, plan=REFUND, key_id=key_id)

    assert (await act(front, review_id, "approve", owner)).status_code == 200


async def accept(
    connection: AsyncConnection, shop: Shop, inviter: str, guest: str, at: datetime
) -> None:
    """Accept the inviter's invitation as the guest."""
    email = f"{guest}@example.com"
    await join(connection, shop.client_id, guest, Role.AGENT, email=email, joined_at=at)
    await connection.execute(
        sa.insert(invitations).values(
            client_id=shop.client_id,
            id=new_ulid(),
            email=email.lower(),
            role=Role.AGENT,
            invited_by=inviter,
            language="fr",
            created_at=at,
            expires_at=at + LONG_AGO,
            accepted_at=at,
        )
    )


async def test_a_colleague_of_an_hour_is_one(
    front: LiveEngine, shop: Shop, owner: dict[str, str]
) -> None:
    """A sole decision does not require the qualifications of a second approver."""
    key_id = await key_of(front, owner)
    async with front.database.service() as connection:
        await join(
            connection, shop.client_id, new_ulid(), Role.AGENT, joined_at=utc_now(), verified=False
        )
    review_id = await open_review(front.database, shop, plan=REFUND, key_id=key_id)

    assert code(await act(front, review_id, "approve", owner)) == (403, "own_request")

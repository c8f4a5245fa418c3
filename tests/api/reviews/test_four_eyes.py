"""Two people approve an amount above a limit: they must be different people."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from adapters.system import new_ulid, utc_now
from domain.tenants.client import Role
from tests.support.core.engine import LiveEngine
from tests.support.reviews.dashboard import act, code, person
from tests.support.reviews.reviews import open_review
from tests.support.tenants.identity import bearer, session_token
from tests.support.tenants.joined import join
from tests.support.tenants.shop import Shop

HOUR = timedelta(hours=1)


async def newcomer(front: LiveEngine, shop: Shop, **how: object) -> dict[str, str]:
    """Return the headers of an admin who joined as `how` says."""
    user_id = new_ulid()
    async with front.database.service() as connection:
        await join(connection, shop.client_id, user_id, Role.ADMIN, **how)  # type: ignore[arg-type]
    return bearer(session_token(front.settings, user_id))


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        # A function, because the test run may take more than an hour.
        (lambda: {"joined_at": utc_now() - 23 * HOUR}, "joined_recently"),
        (lambda: {"verified": False}, "address_not_verified"),
    ],
)
async def test_an_owner_invites_a_second_self(
    front: LiveEngine,
    shop: Shop,
    owner: dict[str, str],
    how: Callable[[], dict[str, object]],
    reason: str,
) -> None:
    """The new member can be neither the second nor the first approver."""
    puppet = await newcomer(front, shop, **how())
    first, second = [await open_review(front.database, shop, needs_second=True) for _ in range(2)]
    assert (await act(front, first, "approve", owner)).status_code == 200

    answers = [await act(front, first, what, puppet) for what in ("approve", "edit")]
    answers.append(await act(front, second, "approve", puppet))

    assert [code(one) for one in answers] == [(403, "second_person_unfit")] * 3
    assert {one.json()["why"] for one in answers} == {reason}
    assert (await act(front, first, "reject", puppet)).status_code == 200


async def test_a_second_address_of_one_mailbox_is_one_person(front: LiveEngine, shop: Shop) -> None:
    box = new_ulid().lower()
    one, other = [
        await newcomer(front, shop, email=address)
        for address in (f"{box}@example.com", f"{box}+2@example.com")
    ]
    review_id = await open_review(front.database, shop, needs_second=True)
    assert (await act(front, review_id, "approve", one)).status_code == 200
    refused = await act(front, review_id, "approve", other)
    assert refused.json()["why"] == "same_address"


async def test_two_members_of_a_day_agree(front: LiveEngine, shop: Shop) -> None:
    review_id = await open_review(front.database, shop, needs_second=True)
    answers = [
        await act(front, review_id, "approve", await person(front, shop, Role.AGENT))
        for _ in range(2)
    ]
    assert [one.json()["awaiting_second"] for one in answers] == [True, False]


@pytest.mark.parametrize("lost", ["membership", "right"])
async def test_a_first_approver_who_has_lost_it_is_not_one_of_the_two(
    front: LiveEngine, shop: Shop, owner: dict[str, str], lost: str
) -> None:
    """The next approval counts as the first again, and a qualified person must follow."""
    user_id = new_ulid()
    async with front.database.service() as connection:
        await join(connection, shop.client_id, user_id, Role.ADMIN)
    fired = bearer(session_token(front.settings, user_id))
    review_id = await open_review(front.database, shop, needs_second=True)
    assert (await act(front, review_id, "approve", fired)).json()["awaiting_second"] is True
    path = f"/api/dashboard/members/{user_id}"
    if lost == "membership":
        answer = await front.http.delete(path, headers=owner)
    else:
        answer = await front.http.patch(path, json={"role": "viewer"}, headers=owner)
    assert answer.status_code < 300, answer.text

    alone = await act(front, review_id, "approve", owner)
    again = await act(front, review_id, "approve", owner)
    other = await act(front, review_id, "approve", await person(front, shop, Role.AGENT))

    assert alone.json()["awaiting_second"] is True
    assert code(again) == (409, "second_person_required")
    assert other.json()["awaiting_second"] is False

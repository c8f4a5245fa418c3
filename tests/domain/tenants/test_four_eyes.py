"""Two approvers: who qualifies as one of them."""

from datetime import UTC, datetime, timedelta

import pytest

from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import SecondPersonUnfit
from domain.tenants.four_eyes import MemberStanding, Unfit, check_four_eyes, mailbox

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
DAY = timedelta(hours=24)


def member(
    name: str, *, joined: timedelta = DAY, verified: bool = True, email: str | None = None
) -> MemberStanding:
    proved = NOW - joined if verified else None
    return MemberStanding(name, email or f"{name}@shop.test", Role.AGENT, proved, NOW - joined)


def reason(actor: Actor, first: str | None, *members: MemberStanding) -> str | None:
    try:
        check_four_eyes(actor, first, members, NOW)
    except SecondPersonUnfit as unfit:
        return unfit.reason
    return None


ANNA = Actor.person("anna", Role.OWNER)


@pytest.mark.parametrize(
    ("anna", "expected"),
    [
        (member("anna"), None),
        (member("anna", joined=DAY - timedelta(seconds=1)), Unfit.JOINED_RECENTLY),
        (member("anna", verified=False), Unfit.ADDRESS_NOT_VERIFIED),
        (member("other"), Unfit.NOT_A_MEMBER),
        (member("anna", email="Ben+2@shop.test"), Unfit.SAME_ADDRESS),
    ],
)
def test_the_second_of_two(anna: MemberStanding, expected: Unfit | None) -> None:
    assert reason(ANNA, "ben", anna, member("ben")) == expected


def test_the_first_is_held_to_the_same() -> None:
    """Otherwise a manager could let a new address of their own approve first."""
    assert reason(ANNA, None, member("anna")) is None
    assert reason(ANNA, None, member("anna", joined=timedelta(hours=1))) == Unfit.JOINED_RECENTLY


def test_an_operator_in_a_members_name_is_that_member() -> None:
    own, as_anna = Actor.operator("operator:root"), Actor.operator("anna", login="operator:root")
    assert reason(own, "ben", member("ben")) is None
    assert reason(as_anna, "ben", member("ben")) == Unfit.NOT_A_MEMBER
    assert reason(as_anna, "ben", member("anna"), member("ben")) is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a@x.test", "A+b@X.test", True),
        ("a.b@gmail.com", "ab+z@googlemail.com", True),
        ("a.b@x.test", "ab@x.test", False),
        ("a@x.test", "a@y.test", False),
    ],
)
def test_one_mailbox_has_several_addresses(one: str, other: str, *, same: bool) -> None:
    assert (mailbox(one) == mailbox(other)) is same

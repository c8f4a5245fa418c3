"""Whether the quota or a credit pays for a ticket, and which thresholds apply."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.billing.quota import TICKETS, UNLIMITED, PaidBy, QuotaStanding
from domain.core.period import Period
from domain.tenants.client import Plan

MONTH = Period("2026-11")


def standing(used: int, limit: int, balance: int = 0) -> QuotaStanding:
    return QuotaStanding(MONTH, used, limit, balance)


def test_quotas_of_the_plans() -> None:
    assert dict(TICKETS) == {
        Plan.FREE: 50, Plan.STARTER: 1000, Plan.PRO: 5000, Plan.ENTERPRISE: UNLIMITED
    }  # fmt: skip
    assert UNLIMITED == -1


@pytest.mark.parametrize(
    ("used", "limit", "balance", "paid_by", "reached"),
    [
        (49, 50, 0, PaidBy.QUOTA, False),
        (50, 50, 0, None, True),
        (50, 50, 1, PaidBy.CREDIT, True),
        (70, 50, 3, PaidBy.CREDIT, True),
        (10**9, UNLIMITED, 0, PaidBy.QUOTA, False),
    ],
)
def test_quota_pays_then_credits_then_nobody(
    used: int, limit: int, balance: int, paid_by: PaidBy | None, reached: bool
) -> None:
    assert standing(used, limit, balance).payment() is paid_by
    assert standing(used, limit, balance).quota_reached is reached


@pytest.mark.parametrize(
    ("used", "limit", "expected"),
    [
        (39, 50, ()), (40, 50, (80,)), (49, 50, (80,)), (50, 50, (80, 100)), (51, 50, (80, 100)),
        (0, 1, ()), (1, 1, (80, 100)), (3, 4, ()), (4, 4, (80, 100)), (10**6, UNLIMITED, ()),
    ],
)  # fmt: skip
def test_thresholds(used: int, limit: int, expected: tuple[int, ...]) -> None:
    assert standing(used, limit).thresholds() == expected


@given(st.integers(1, 10**6), st.integers(0, 10**6))
def test_a_threshold_stands_from_its_ceiling_on(limit: int, used: int) -> None:
    reached = standing(used, limit).thresholds()

    assert (80 in reached) == (used >= math.ceil(limit * 8 / 10))
    assert (100 in reached) == (used >= limit)

"""Limits for unverified senders: capacity for others, and a full plan for a shop without
verification."""

from datetime import UTC, datetime, timedelta

import pytest

from domain.billing.quota import TICKETS, UNLIMITED, QuotaStanding
from domain.core.period import Period
from domain.intake.gateway_limits import PER_CLIENT
from domain.intake.unproved_share import MESSAGES, tickets_at
from domain.tenants.client import Plan
from domain.widget.share import WidgetShare

START = datetime(2026, 11, 1, tzinfo=UTC)
DAYS = 30


def standing(used: int, limit: int, credits_balance: int = 0) -> QuotaStanding:
    return QuotaStanding(Period("2026-11"), used, limit, credits_balance)


def test_with_the_widgets_half_it_leaves_room() -> None:
    assert MESSAGES + WidgetShare().messages < PER_CLIENT.messages


@pytest.mark.parametrize("plan", [Plan.FREE, Plan.STARTER, Plan.PRO])
def test_a_steady_shop_without_proof_uses_its_whole_plan(plan: Plan) -> None:
    limit = TICKETS[plan]
    for used in range(0, limit, max(1, limit // 50)):
        when = START + timedelta(days=DAYS) * (used / limit)
        share = tickets_at(standing(used, limit), when)
        assert share is not None
        assert share > used


def test_it_grows_through_the_month() -> None:
    days = [tickets_at(standing(0, 50), START + timedelta(days=day)) for day in (0, 10, 20, 30)]
    assert days == [20, 30, 40, 50]


def test_credits_enlarge_it_and_what_was_used_stays() -> None:
    assert tickets_at(standing(50, 50, 50), START) == 40
    assert tickets_at(standing(60, 50, 40), START) == 40
    assert tickets_at(standing(0, 0), START) == 1


def test_an_unlimited_plan_has_none() -> None:
    assert tickets_at(standing(10**6, UNLIMITED), START) is None

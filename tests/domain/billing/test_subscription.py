"""The current plan over time: trials, changes and ended subscriptions."""

from datetime import UTC, datetime, timedelta

import pytest

from domain.billing.errors import PlanRequired
from domain.billing.subscription import Subscription
from domain.tenants.client import Plan

NOW = datetime(2028, 2, 29, 12, tzinfo=UTC)
MARCH = datetime(2028, 3, 1, tzinfo=UTC)


def test_an_upgrade_is_in_force_at_once() -> None:
    assert Subscription(Plan.FREE).changed_to(Plan.PRO, NOW) == Subscription(Plan.PRO)


def test_a_downgrade_waits_for_the_month_to_end() -> None:
    waiting = Subscription(Plan.PRO).changed_to(Plan.STARTER, NOW)

    assert waiting.plan_at(MARCH - timedelta(microseconds=1)) is Plan.PRO
    assert waiting.plan_at(MARCH) is Plan.STARTER
    assert waiting.settled(MARCH) == Subscription(Plan.STARTER)
    assert waiting.settled(NOW) is waiting


def test_a_waiting_downgrade_can_be_taken_back_or_overtaken() -> None:
    waiting = Subscription(Plan.PRO).changed_to(Plan.FREE, NOW)

    assert waiting.changed_to(Plan.PRO, NOW) == Subscription(Plan.PRO)
    assert waiting.changed_to(Plan.ENTERPRISE, NOW) == Subscription(Plan.ENTERPRISE)


def test_a_change_after_a_downgrade_was_due_starts_from_it() -> None:
    due = Subscription(Plan.PRO).changed_to(Plan.FREE, NOW)

    assert due.changed_to(Plan.STARTER, MARCH) == Subscription(Plan.STARTER)


@pytest.mark.parametrize(
    ("plan", "during"),
    [
        (Plan.FREE, Plan.PRO),
        (Plan.STARTER, Plan.PRO),
        (Plan.PRO, Plan.PRO),
        (Plan.ENTERPRISE, Plan.ENTERPRISE),
    ],
)
def test_a_trial_has_pro_until_it_ends(plan: Plan, during: Plan) -> None:
    trial = Subscription(plan, trial_ends_at=MARCH)

    assert trial.plan_at(MARCH - timedelta(microseconds=1)) is during
    assert trial.trial_end(NOW) == MARCH
    assert trial.plan_at(MARCH) is plan
    assert trial.trial_end(MARCH) is None


def test_webhooks_are_in_the_plan_that_is_in_force() -> None:
    assert {plan for plan in Plan if Subscription(plan).includes_webhooks(NOW)} == {
        Plan.PRO,
        Plan.ENTERPRISE,
    }
    waiting = Subscription(Plan.PRO).changed_to(Plan.STARTER, NOW)
    waiting.require_webhooks(NOW)
    with pytest.raises(PlanRequired, match="not in the plan starter"):
        waiting.require_webhooks(MARCH)
    Subscription(Plan.FREE, trial_ends_at=MARCH).require_webhooks(NOW)


def test_a_plan_that_is_no_longer_paid_for() -> None:
    bought = Subscription(Plan.PRO, next_plan=Plan.STARTER, next_plan_from=MARCH)

    at_once = bought.unpaid(Plan.PRO, NOW, at_period_end=True)
    later = bought.unpaid(Plan.PRO, NOW, at_period_end=False)

    assert at_once == Subscription(Plan.FREE)
    assert later == Subscription(Plan.PRO, next_plan=Plan.FREE, next_plan_from=MARCH)
    granted = Subscription(Plan.ENTERPRISE)
    lower = Subscription(Plan.STARTER)
    for at_period_end in (True, False):
        assert granted.unpaid(Plan.PRO, NOW, at_period_end=at_period_end) == granted
    assert lower.unpaid(Plan.PRO, NOW, at_period_end=True) == Subscription(Plan.FREE)


def test_which_plans_are_above() -> None:
    due = Subscription(Plan.PRO, trial_ends_at=NOW, next_plan=Plan.FREE, next_plan_from=NOW)

    assert due.is_above(Plan.STARTER, NOW)
    assert not due.is_above(Plan.FREE, NOW)
    assert not due.is_above(Plan.PRO, NOW - timedelta(days=1))

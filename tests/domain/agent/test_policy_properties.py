"""Properties of the policy for any input."""

from typing import Final

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.agent.brain import Category, Proposal
from domain.agent.plan import ON_ORDERS, REPLIES, ActionKind, Warrant
from domain.agent.policy import available_actions, judge, recheck
from domain.agent.policy_context import PolicyContext, Spent
from domain.agent.policy_decision import PolicyReason, Ruling
from domain.agent.rulebook import ActionLevel, ActionRule, MoneyLimits
from domain.intake.customer_email import customer_key
from domain.integrations.providers import SHOPS
from tests.support.agent.policy_context import (
    a_situation,
    an_order,
    with_rule,
)
from tests.support.agent.situations import MINOR, MOST, SITUATIONS

A_PROPOSAL: Final = st.builds(
    Proposal,
    kind=st.sampled_from(ActionKind),
    text=st.sampled_from(["", "Refunded."]),
    tags=st.sampled_from([(), ("late",), ("vip", "refund")]),
)
PROPOSALS: Final = st.one_of(
    st.lists(A_PROPOSAL, max_size=8).map(tuple),
    st.sampled_from([ActionKind.REFUND, ActionKind.CANCEL_ORDER]).map(
        lambda kind: (Proposal(kind=kind), Proposal(kind=ActionKind.TAG, tags=("late",)))
    ),
)
CATEGORIES: Final = st.sampled_from(Category)
SEVERITY: Final = list(Ruling)
# Enough examples to detect the removal of any single rule (each was tried by hand).
thorough: Final = settings(max_examples=200)


@thorough
@given(SITUATIONS, CATEGORIES, PROPOSALS)
def test_what_is_planned_on_an_order_is_the_customers_own(
    policy_context: PolicyContext, category: Category, proposals: tuple[Proposal, ...]
) -> None:
    plan = judge(policy_context, category, proposals).plan

    for action in (action for action in plan if action.kind in ON_ORDERS):
        order = policy_context.order
        assert order is not None
        assert policy_context.event.may_read
        assert policy_context.event.reply_allowed
        assert not policy_context.unsafe
        assert customer_key(order.customer_email) == customer_key(
            policy_context.event.customer_email
        )
        assert customer_key(order.customer_email) is not None
        assert (action.order_id, action.integration_id) == (order.id, order.integration_id)
        assert action.amount == order.refundable
        assert not policy_context.spent.on_order & ON_ORDERS
        assert any(
            one.integration_id == order.integration_id and one.provider in SHOPS
            for one in policy_context.connections
        )


@thorough
@given(SITUATIONS, CATEGORIES, PROPOSALS)
def test_nothing_of_level_never_and_nothing_that_was_not_proposed(
    policy_context: PolicyContext, category: Category, proposals: tuple[Proposal, ...]
) -> None:
    judgement = judge(policy_context, category, proposals)
    proposed = {proposal.kind for proposal in proposals}

    for action in judgement.plan:
        rule = policy_context.rulebook.rule(action.kind)
        assert rule.level is not ActionLevel.NEVER
        assert action.kind in REPLIES or action.kind in proposed
        assert action.kind in REPLIES or not rule.categories or category in rule.categories
        assert set(action.tags) <= set(rule.tags)
    planned = [action.kind for action in judgement.plan]
    assert len(planned) == len(set(planned))
    assert sum(kind in REPLIES for kind in planned) <= policy_context.event.reply_allowed
    assert not {ActionKind.REFUND, ActionKind.CANCEL_ORDER} <= set(planned)
    assert (
        all(kind in REPLIES for kind in planned[-1:])
        or not policy_context.event.reply_allowed
        or (judgement.refused)
    )


@thorough
@given(SITUATIONS, CATEGORIES, PROPOSALS)
def test_allowed_money_is_within_every_limit(
    policy_context: PolicyContext, category: Category, proposals: tuple[Proposal, ...]
) -> None:
    judgement = judge(policy_context, category, proposals)
    rulings = {verdict.kind: verdict.ruling for verdict in judgement.verdicts}

    for action in (action for action in judgement.plan if action.kind in ON_ORDERS):
        rule = policy_context.rulebook.rule(action.kind)
        if rulings[action.kind] is Ruling.NEEDS_SECOND:
            continue
        assert action.amount is not None
        if limits := rule.limits:
            minor = action.amount.minor
            assert action.amount.currency == limits.currency
            assert limits.per_action is None or minor <= limits.per_action
            assert (
                limits.per_customer is None
                or policy_context.spent.customer + minor <= limits.per_customer
            )
            assert limits.per_day is None or policy_context.spent.day + minor <= limits.per_day
        if rulings[action.kind] is Ruling.ALLOWED:
            assert rule.level in (ActionLevel.AUTONOMOUS, ActionLevel.CUSTOMER_CONFIRMED)


@thorough
@given(SITUATIONS, CATEGORIES, PROPOSALS)
def test_the_agent_acts_by_itself_only_with_a_warrant_for_the_order_that_was_named(
    policy_context: PolicyContext, category: Category, proposals: tuple[Proposal, ...]
) -> None:
    judgement = judge(policy_context, category, proposals)
    rulings = {verdict.kind: verdict.ruling for verdict in judgement.verdicts}

    for action in (action for action in judgement.plan if action.kind in ON_ORDERS):
        if rulings[action.kind] is not Ruling.ALLOWED:
            continue
        if action.warrant is Warrant.CONFIRMATION:
            assert policy_context.confirmed is action.kind
            continue
        assert action.warrant is Warrant.REQUEST
        assert policy_context.rulebook.rule(action.kind).level is ActionLevel.AUTONOMOUS
        assert policy_context.event.order_numbers == (action.order_number,)
        assert policy_context.event.may_act


@thorough
@given(MOST, MOST, MOST, MINOR, MINOR, st.integers(1, 300))
def test_a_refund_is_allowed_exactly_when_it_is_within_every_limit(
    per_action: int | None,
    per_customer: int | None,
    per_day: int | None,
    customer: int,
    day: int,
    minor: int,
) -> None:
    limits = MoneyLimits(
        currency="EUR", per_action=per_action, per_customer=per_customer, per_day=per_day
    )
    rule = ActionRule(level=ActionLevel.AUTONOMOUS, limits=limits)
    policy_context = a_situation(
        rulebook=with_rule(ActionKind.REFUND, rule), order=an_order(refundable=minor)
    ).model_copy(update={"spent": Spent(customer=customer, day=day)})

    judgement = judge(policy_context, Category.OTHER, (Proposal(kind=ActionKind.REFUND),))

    sums = ((minor, per_action), (customer + minor, per_customer), (day + minor, per_day))
    within = all(most is None or total <= most for total, most in sums)
    assert judgement.verdicts[0].ruling is (Ruling.ALLOWED if within else Ruling.NEEDS_SECOND)


@thorough
@given(SITUATIONS, CATEGORIES, PROPOSALS)
def test_whatever_is_not_simply_allowed_waits_for_a_human(
    policy_context: PolicyContext, category: Category, proposals: tuple[Proposal, ...]
) -> None:
    judgement = judge(policy_context, category, proposals)

    fine = (Ruling.ALLOWED, Ruling.ASK)
    plain = all(verdict.ruling in fine for verdict in judgement.verdicts)
    assert (judgement.doubt is None) is (plain and not policy_context.unsafe)
    asks = any(verdict.ruling is Ruling.ASK for verdict in judgement.verdicts)
    assert (judgement.question is not None) is (asks and judgement.doubt is None)


@thorough
@given(SITUATIONS, CATEGORIES)
def test_only_offers_pass_and_every_offer_may_be_proposed(
    policy_context: PolicyContext, category: Category
) -> None:
    offered = {offer.kind: offer for offer in available_actions(policy_context)}
    for kind, offer in offered.items():
        one = Proposal(kind=kind, text="x", tags=offer.tags)
        verdict = judge(policy_context, category, (one,)).verdicts[0]
        assert verdict.reason is not PolicyReason.NOT_OFFERED
    for kind in set(ActionKind) - set(offered):
        verdict = judge(policy_context, category, (Proposal(kind=kind, tags=("late",)),)).verdicts[
            0
        ]
        assert verdict.ruling is Ruling.REFUSED


@thorough
@given(SITUATIONS, CATEGORIES, PROPOSALS, MINOR, MINOR)
def test_more_spent_never_allows_more(
    policy_context: PolicyContext,
    category: Category,
    proposals: tuple[Proposal, ...],
    customer: int,
    day: int,
) -> None:
    more = policy_context.spent.model_copy(
        update={
            "customer": policy_context.spent.customer + customer,
            "day": policy_context.spent.day + day,
        }
    )

    before = judge(policy_context, category, proposals)
    after = judge(policy_context.model_copy(update={"spent": more}), category, proposals)

    assert [verdict.kind for verdict in before.verdicts] == [
        verdict.kind for verdict in after.verdicts
    ]
    for one, other in zip(before.verdicts, after.verdicts, strict=True):
        assert SEVERITY.index(one.ruling) <= SEVERITY.index(other.ruling)


@thorough
@given(SITUATIONS, CATEGORIES, PROPOSALS, st.integers(0, 2))
def test_recheck_agrees_with_the_judgement_while_nothing_changes(
    policy_context: PolicyContext,
    category: Category,
    proposals: tuple[Proposal, ...],
    approvals: int,
) -> None:
    judgement = judge(policy_context, category, proposals)
    needed = {Ruling.ALLOWED: 0, Ruling.NEEDS_APPROVAL: 1, Ruling.NEEDS_SECOND: 2}
    rulings = {verdict.kind: verdict.ruling for verdict in judgement.verdicts}

    for action in (action for action in judgement.plan if action.kind in ON_ORDERS):
        assert policy_context.order is not None
        reason = recheck(
            action,
            policy_context.rulebook,
            policy_context.order,
            policy_context.spent,
            customer_email=policy_context.event.customer_email,
            approvals=approvals,
            now=policy_context.now,
        )
        assert (reason is None) is (approvals >= needed[rulings[action.kind]])

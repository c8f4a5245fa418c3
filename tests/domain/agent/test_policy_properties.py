"""What holds of the policy whatever it is asked."""

from datetime import timedelta
from typing import Final, TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.agent.brain import Category, Proposal
from domain.agent.plan import ON_ORDERS, REPLIES, ActionKind, Warrant
from domain.agent.policy import judge, offers, recheck
from domain.agent.rulebook import ActionLevel, ActionRule, MoneyLimits, Rulebook
from domain.agent.situation import Connection, Situation, Spent
from domain.agent.verdict import PolicyReason, Ruling
from domain.core.money import Money
from domain.intake.customer_email import customer_key
from domain.intake.event import Channel, UnifiedEvent
from domain.integrations.integration import SHOPS, Provider
from domain.integrations.order import Order, OrderState
from tests.support.agent.situation import (
    DESK,
    FREE_HAND,
    NOW,
    SHOP,
    a_situation,
    an_event,
    an_order,
    with_rule,
)

MINOR: Final = st.integers(0, 300)
CURRENCIES: Final = st.sampled_from(["EUR", "USD"])
ADDRESSES: Final = st.sampled_from([None, "", "a@x.example", "A@x.example ", "b@x.example"])
IDS: Final = st.sampled_from(["shop", "desk"])
MOST: Final = st.none() | MINOR
LIMITS: Final = st.builds(
    MoneyLimits, currency=CURRENCIES, per_action=MOST, per_customer=MOST, per_day=MOST
)
RULES: Final = st.builds(
    ActionRule,
    level=st.sampled_from([*ActionLevel, ActionLevel.AUTONOMOUS]),
    categories=st.lists(st.sampled_from(Category), max_size=2).map(tuple),
    limits=st.none() | LIMITS,
    within_days=st.none() | st.integers(1, 10),
    tags=st.sampled_from([(), ("late",), ("late", "refund")]),
)
RULEBOOKS: Final = st.builds(
    Rulebook, actions=st.fixed_dictionaries(dict.fromkeys(ActionKind, RULES))
)
MONEY: Final = st.builds(Money, minor=MINOR, currency=CURRENCIES)
ORDERS: Final = st.builds(
    Order,
    integration_id=IDS,
    provider=st.sampled_from(sorted(SHOPS)),
    id=st.sampled_from(["o1", "o2"]),
    number=st.just("1042"),
    customer_email=ADDRESSES,
    state=st.sampled_from(OrderState),
    total=MONEY,
    refundable=MONEY,
    placed_at=st.integers(0, 20).map(lambda days: NOW - timedelta(days)),
)
EVENTS: Final = st.builds(
    UnifiedEvent,
    channel=st.sampled_from(Channel),
    ticket_id=st.sampled_from([None, "", "T-1"]),
    ticket_named=st.booleans(),
    customer_email=ADDRESSES,
    reply_allowed=st.booleans(),
    customer_verified=st.booleans(),
    platform=st.sampled_from(["zendesk", "gorgias", "shopify", "email", ""]),
)
CONNECTIONS: Final = st.lists(
    st.builds(Connection, integration_id=IDS, provider=st.sampled_from(Provider)), max_size=4
).map(tuple)
SPENT: Final = st.builds(
    Spent,
    customer=MINOR,
    day=MINOR,
    on_order=st.frozensets(st.sampled_from(ActionKind), max_size=2),
)
Part = TypeVar("Part")


def mostly(good: Part, anything: st.SearchStrategy[Part]) -> st.SearchStrategy[Part]:
    """Of anything, few situations allow anything: so most parts are as good as they can be."""
    return st.integers(0, 3).flatmap(lambda roll: anything if roll == 3 else st.just(good))


OWNER: Final = "a@x.example"
MESSAGE: Final = an_event(email=OWNER)
CANCELLATION: Final = an_event(email=OWNER, text="Please cancel order 1042.")
MESSAGES: Final = st.one_of(
    EVENTS,
    st.just(CANCELLATION),
    st.sampled_from([(), ("1043",), ("1042", "1043")]).map(
        lambda numbers: an_event(email=OWNER, numbers=numbers)
    ),
    st.sampled_from(
        ["customer_verified", "reply_allowed", "ticket_named", "sender_authenticated"]
    ).map(lambda name: MESSAGE.model_copy(update={name: False})),
)
SOMEBODYS: Final = st.builds(an_order, owner=ADDRESSES, refundable=MINOR, currency=CURRENCIES)
SITUATIONS: Final = st.builds(
    Situation,
    event=mostly(MESSAGE, MESSAGES),
    rulebook=mostly(FREE_HAND, RULEBOOKS),
    connections=mostly((SHOP, DESK), CONNECTIONS),
    order=mostly(an_order(owner=OWNER), st.one_of(SOMEBODYS, SOMEBODYS, ORDERS, st.none())),
    spent=mostly(Spent(), SPENT),
    confirmed=mostly(None, st.none() | st.sampled_from(sorted(ON_ORDERS))),
    unsafe=mostly(False, st.booleans()),
    now=st.just(NOW),
)
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
# Enough that each rule of the policy, left out, is found (tried by hand, one after the other).
thorough: Final = settings(max_examples=200)


@thorough
@given(SITUATIONS, CATEGORIES, PROPOSALS)
def test_what_is_planned_on_an_order_is_the_customers_own(
    situation: Situation, category: Category, proposals: tuple[Proposal, ...]
) -> None:
    plan = judge(situation, category, proposals).plan

    for action in (action for action in plan if action.kind in ON_ORDERS):
        order = situation.order
        assert order is not None
        assert situation.event.customer_verified
        assert situation.event.reply_allowed
        assert not situation.unsafe
        assert customer_key(order.customer_email) == customer_key(situation.event.customer_email)
        assert customer_key(order.customer_email) is not None
        assert (action.order_id, action.integration_id) == (order.id, order.integration_id)
        assert action.amount == order.refundable
        assert not situation.spent.on_order & ON_ORDERS
        assert any(
            one.integration_id == order.integration_id and one.provider in SHOPS
            for one in situation.connections
        )


@thorough
@given(SITUATIONS, CATEGORIES, PROPOSALS)
def test_nothing_of_level_never_and_nothing_that_was_not_proposed(
    situation: Situation, category: Category, proposals: tuple[Proposal, ...]
) -> None:
    judgement = judge(situation, category, proposals)
    proposed = {proposal.kind for proposal in proposals}

    for action in judgement.plan:
        rule = situation.rulebook.rule(action.kind)
        assert rule.level is not ActionLevel.NEVER
        assert action.kind in REPLIES or action.kind in proposed
        assert action.kind in REPLIES or not rule.categories or category in rule.categories
        assert set(action.tags) <= set(rule.tags)
    planned = [action.kind for action in judgement.plan]
    assert len(planned) == len(set(planned))
    assert sum(kind in REPLIES for kind in planned) <= situation.event.reply_allowed
    assert not {ActionKind.REFUND, ActionKind.CANCEL_ORDER} <= set(planned)
    assert (
        all(kind in REPLIES for kind in planned[-1:])
        or not situation.event.reply_allowed
        or (judgement.refused)
    )


@thorough
@given(SITUATIONS, CATEGORIES, PROPOSALS)
def test_allowed_money_is_within_every_limit(
    situation: Situation, category: Category, proposals: tuple[Proposal, ...]
) -> None:
    judgement = judge(situation, category, proposals)
    rulings = {verdict.kind: verdict.ruling for verdict in judgement.verdicts}

    for action in (action for action in judgement.plan if action.kind in ON_ORDERS):
        rule = situation.rulebook.rule(action.kind)
        if rulings[action.kind] is Ruling.NEEDS_SECOND:
            continue
        assert action.amount is not None
        if limits := rule.limits:
            minor = action.amount.minor
            assert action.amount.currency == limits.currency
            assert limits.per_action is None or minor <= limits.per_action
            assert (
                limits.per_customer is None
                or situation.spent.customer + minor <= limits.per_customer
            )
            assert limits.per_day is None or situation.spent.day + minor <= limits.per_day
        if rulings[action.kind] is Ruling.ALLOWED:
            assert rule.level in (ActionLevel.AUTONOMOUS, ActionLevel.CUSTOMER_CONFIRMED)


@thorough
@given(SITUATIONS, CATEGORIES, PROPOSALS)
def test_the_agent_acts_by_itself_only_with_a_warrant_for_the_order_that_was_named(
    situation: Situation, category: Category, proposals: tuple[Proposal, ...]
) -> None:
    judgement = judge(situation, category, proposals)
    rulings = {verdict.kind: verdict.ruling for verdict in judgement.verdicts}

    for action in (action for action in judgement.plan if action.kind in ON_ORDERS):
        if rulings[action.kind] is not Ruling.ALLOWED:
            continue
        if action.warrant is Warrant.CONFIRMATION:
            assert situation.confirmed is action.kind
            continue
        assert action.warrant is Warrant.REQUEST
        assert situation.rulebook.rule(action.kind).level is ActionLevel.AUTONOMOUS
        assert situation.event.order_numbers == (action.order_number,)
        assert situation.event.sender_authenticated


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
    situation = a_situation(
        rulebook=with_rule(ActionKind.REFUND, rule), order=an_order(refundable=minor)
    ).model_copy(update={"spent": Spent(customer=customer, day=day)})

    judgement = judge(situation, Category.OTHER, (Proposal(kind=ActionKind.REFUND),))

    sums = ((minor, per_action), (customer + minor, per_customer), (day + minor, per_day))
    within = all(most is None or total <= most for total, most in sums)
    assert judgement.verdicts[0].ruling is (Ruling.ALLOWED if within else Ruling.NEEDS_SECOND)


@thorough
@given(SITUATIONS, CATEGORIES, PROPOSALS)
def test_whatever_is_not_simply_allowed_waits_for_a_human(
    situation: Situation, category: Category, proposals: tuple[Proposal, ...]
) -> None:
    judgement = judge(situation, category, proposals)

    fine = (Ruling.ALLOWED, Ruling.ASK)
    plain = all(verdict.ruling in fine for verdict in judgement.verdicts)
    assert (judgement.doubt is None) is (plain and not situation.unsafe)
    asks = any(verdict.ruling is Ruling.ASK for verdict in judgement.verdicts)
    assert (judgement.question is not None) is (asks and judgement.doubt is None)


@thorough
@given(SITUATIONS, CATEGORIES)
def test_only_offers_pass_and_every_offer_may_be_proposed(
    situation: Situation, category: Category
) -> None:
    offered = {offer.kind: offer for offer in offers(situation)}
    for kind, offer in offered.items():
        one = Proposal(kind=kind, text="x", tags=offer.tags)
        verdict = judge(situation, category, (one,)).verdicts[0]
        assert verdict.reason is not PolicyReason.NOT_OFFERED
    for kind in set(ActionKind) - set(offered):
        verdict = judge(situation, category, (Proposal(kind=kind, tags=("late",)),)).verdicts[0]
        assert verdict.ruling is Ruling.REFUSED


@thorough
@given(SITUATIONS, CATEGORIES, PROPOSALS, MINOR, MINOR)
def test_more_spent_never_allows_more(
    situation: Situation,
    category: Category,
    proposals: tuple[Proposal, ...],
    customer: int,
    day: int,
) -> None:
    more = situation.spent.model_copy(
        update={"customer": situation.spent.customer + customer, "day": situation.spent.day + day}
    )

    before = judge(situation, category, proposals)
    after = judge(situation.model_copy(update={"spent": more}), category, proposals)

    assert [verdict.kind for verdict in before.verdicts] == [
        verdict.kind for verdict in after.verdicts
    ]
    for one, other in zip(before.verdicts, after.verdicts, strict=True):
        assert SEVERITY.index(one.ruling) <= SEVERITY.index(other.ruling)


@thorough
@given(SITUATIONS, CATEGORIES, PROPOSALS, st.integers(0, 2))
def test_recheck_agrees_with_the_judgement_while_nothing_changes(
    situation: Situation, category: Category, proposals: tuple[Proposal, ...], approvals: int
) -> None:
    judgement = judge(situation, category, proposals)
    needed = {Ruling.ALLOWED: 0, Ruling.NEEDS_APPROVAL: 1, Ruling.NEEDS_SECOND: 2}
    rulings = {verdict.kind: verdict.ruling for verdict in judgement.verdicts}

    for action in (action for action in judgement.plan if action.kind in ON_ORDERS):
        assert situation.order is not None
        reason = recheck(
            action,
            situation.rulebook,
            situation.order,
            situation.spent,
            customer_email=situation.event.customer_email,
            approvals=approvals,
            now=situation.now,
        )
        assert (reason is None) is (approvals >= needed[rulings[action.kind]])

"""Hypothesis strategies for all kinds of situations, mostly favorable ones, because few arbitrary
situations allow anything."""

from datetime import timedelta
from typing import Final, TypeVar

from hypothesis import strategies as st

from domain.agent.brain import Category
from domain.agent.plan import ON_ORDERS, ActionKind
from domain.agent.policy_context import Connection, PolicyContext, Spent
from domain.agent.rulebook import ActionLevel, ActionRule, MoneyLimits, Rulebook
from domain.core.money import Money
from domain.intake.event import Channel, UnifiedEvent
from domain.integrations.order import Order, OrderState
from domain.integrations.providers import SHOPS, Provider
from tests.support.agent.policy_context import DESK, FREE_HAND, NOW, SHOP, an_event, an_order
from tests.support.intake.proof import proved

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
    proved=st.none() | ADDRESSES.map(proved),
    mailed_back=st.booleans(),
    is_vouched=st.booleans(),
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
    """Draw the favorable value in most cases, because few arbitrary situations allow anything."""
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
    st.sampled_from(["reply_allowed", "ticket_named"]).map(
        lambda name: MESSAGE.model_copy(update={name: False})
    ),
    st.sampled_from([None, proved("b@x.example")]).map(
        lambda other: MESSAGE.model_copy(update={"proved": other})
    ),
    st.just(MESSAGE.model_copy(update={"proved": None, "mailed_back": True})),
)
SOMEBODYS: Final = st.builds(an_order, owner=ADDRESSES, refundable=MINOR, currency=CURRENCIES)
SITUATIONS: Final = st.builds(
    PolicyContext,
    event=mostly(MESSAGE, MESSAGES),
    rulebook=mostly(FREE_HAND, RULEBOOKS),
    connections=mostly((SHOP, DESK), CONNECTIONS),
    order=mostly(an_order(owner=OWNER), st.one_of(SOMEBODYS, SOMEBODYS, ORDERS, st.none())),
    spent=mostly(Spent(), SPENT),
    confirmed=mostly(None, st.none() | st.sampled_from(sorted(ON_ORDERS))),
    unsafe=mostly(False, st.booleans()),
    now=st.just(NOW),
)

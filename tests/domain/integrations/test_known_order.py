"""The known order: the same facts give the same order, in any order of arrival."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from domain.core.money import Money
from domain.integrations.known_order import KnownOrder, number_key, order_of, with_facts
from domain.integrations.order import OrderState
from domain.integrations.order_fact import OrderFact
from domain.integrations.providers import Provider

START = datetime(2026, 11, 23, 12, tzinfo=UTC)
EUR = "EUR"


def fact(minutes: int = 0, **told: object) -> OrderFact:
    at = START + timedelta(minutes=minutes)
    return OrderFact.model_validate({"order_id": "o1", "version": at, **told})


def known(*facts: OrderFact) -> KnownOrder:
    first, *others = (KnownOrder.of(one) for one in facts)
    for other in others:
        first = first.merged(other)
    return first


def of_all(*facts: OrderFact) -> OrderFact:
    return known(*facts).fact("o1")


_money = st.builds(
    Money, minor=st.integers(0, 3).map(lambda it: it * 100), currency=st.sampled_from((EUR, "USD"))
)
_facts = st.builds(
    fact,
    st.integers(0, 4),
    number=st.none() | st.sampled_from(("1001", "1002")),
    customer_email=st.none() | st.sampled_from(("a@x.example", "b@x.example")),
    state=st.none() | st.sampled_from(OrderState),
    refunded=st.none() | _money,
    is_disputed=st.none() | st.booleans(),
    is_deleted=st.booleans(),
)


@given(
    st.lists(_facts, min_size=1, max_size=7).flatmap(
        lambda facts: st.tuples(st.just(facts), st.permutations(facts))
    )
)
def test_any_order_of_arrival_gives_the_same(both: tuple[list[OrderFact], list[OrderFact]]) -> None:
    first, second = both
    assert known(*first) == known(*second) == known(*second, *first)


@given(st.lists(_facts, min_size=1, max_size=7), _facts)
def test_what_was_given_back_never_shrinks(facts: list[OrderFact], more: OrderFact) -> None:
    before, after = of_all(*facts).refunded, of_all(*facts, more).refunded
    if more.is_deleted or before is None or after is None or after.currency != before.currency:
        return
    assert after.minor >= before.minor


def test_a_newer_fact_wins_field_by_field_and_an_older_one_changes_nothing() -> None:
    shipped = fact(2, state=OrderState.SHIPPED, number="1001")
    assert of_all(shipped, fact(1, state=OrderState.OPEN)) == of_all(shipped)
    told = of_all(shipped, fact(3, is_disputed=True))
    assert (told.state, told.number, told.is_disputed) == (OrderState.SHIPPED, "1001", True)


def test_a_deleted_order_is_forgotten_until_it_is_told_of_anew() -> None:
    deleted = fact(2, is_deleted=True)
    told = fact(1, number="1001", customer_email="a@x.example")
    assert known(told, deleted).told == {}
    assert of_all(told, deleted).is_deleted
    assert of_all(deleted, told).customer_email is None
    assert of_all(deleted, told, fact(3, number="1001")).number == "1001"


def test_an_order_is_spoken_of_only_where_enough_was_told() -> None:
    whole = fact(
        total=Money(minor=4990, currency=EUR), placed_at=START, customer_email="a@x.example"
    )
    order = order_of(whole, "i1", Provider.WOOCOMMERCE)
    assert order is not None
    assert (order.number, order.state) == ("o1", OrderState.UNKNOWN)
    assert (order.refundable.minor, order.told_at) == (0, START)
    assert order_of(fact(placed_at=START), "i1", Provider.WOOCOMMERCE) is None


def test_a_live_order_hears_of_its_dispute() -> None:
    whole = fact(total=Money(minor=4990, currency=EUR), placed_at=START)
    order = order_of(whole, "i1", Provider.SHOPIFY)
    assert order is not None
    assert with_facts(order, [fact(is_disputed=True)]).is_disputed
    assert with_facts(order, [fact(is_payment_failed=True), fact()]).is_payment_failed
    assert with_facts(order, []) == order


def test_numbers_are_compared_without_their_sign_and_case() -> None:
    assert number_key(" #FR-1001 ") == number_key("fr-1001") == "fr-1001"
    assert number_key("#") is None
    assert number_key(None) is None

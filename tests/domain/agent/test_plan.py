"""Actions: each kind has one entry, which states what its class requires."""

import pytest

from domain.agent.plan import (
    ACTIONS,
    IN_PLACE,
    ON_ORDERS,
    REPLIES,
    ActionClass,
    ActionKind,
    ActionSpec,
    PlannedAction,
)
from domain.core.money import Money

SPECS = [pytest.param(spec, id=kind.value) for kind, spec in ACTIONS.items()]
ALL_KNOWN = {
    "order_number": "1042",
    "amount": Money(minor=4900, currency="EUR"),
}


def test_every_kind_has_its_entry() -> None:
    assert set(ACTIONS) == set(ActionKind)
    assert all(kind is spec.kind for kind, spec in ACTIONS.items())


def test_replies_are_carried_out_last() -> None:
    """A reply states what was done before it."""
    kinds = list(ACTIONS)

    assert set(kinds[-len(REPLIES) :]) == REPLIES
    assert set(kinds[: len(ON_ORDERS)]) == ON_ORDERS
    assert IN_PLACE <= REPLIES


@pytest.mark.parametrize("spec", SPECS)
def test_an_entry_says_what_its_class_needs(spec: ActionSpec) -> None:
    """A model receives all available actions; summaries list all actions on orders."""
    on_order = spec.of is ActionClass.ORDER

    assert bool(spec.prompt) is (spec.of is not ActionClass.REPLY)
    assert bool(spec.label) is on_order
    assert on_order or not (spec.states or spec.gives_back or spec.covered_by or spec.promise)
    assert spec.chosen is None or spec.of is ActionClass.TICKET
    if spec.covered_by:
        # When these are evaluated in order, the plan already contains the first.
        assert list(ACTIONS).index(spec.covered_by) < list(ACTIONS).index(spec.kind)


@pytest.mark.parametrize("spec", SPECS)
def test_texts_can_be_filled(spec: ActionSpec) -> None:
    assert "{" not in spec.prompt.format(amount="49.00 EUR")
    assert "{" not in spec.label.format(of=" of 49.00 EUR")


@pytest.mark.parametrize("spec", [one for one in ACTIONS.values() if one.promise])
def test_a_promise_is_known_with_its_order_only(spec: ActionSpec) -> None:
    assert spec.promise
    assert spec.promise.value(PlannedAction(kind=spec.kind, **ALL_KNOWN))
    assert not spec.promise.value(PlannedAction(kind=spec.kind))

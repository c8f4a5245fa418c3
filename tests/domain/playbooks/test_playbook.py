"""Which playbook applies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.core.errors import InvalidInput
from domain.playbooks.playbook import Playbook, check_pattern, match


def playbook(pattern: str, number: int = 1) -> Playbook:
    return Playbook(id=f"p{number}", version=1, name="n", event_type=pattern, threshold=0.7)


@pytest.mark.parametrize(
    ("patterns", "event_type", "winner"),
    [
        (["*", "shopify.*", "shopify.ticket.created"], "shopify.ticket.created", 3),
        (["*", "shopify.*", "shopify.ticket.*"], "shopify.ticket.created", 3),
        (["shopify.ticket.*", "shopify.*"], "shopify.order.paid", 2),
        (["*", "*"], "anything", 1),
        (["email.inbound", "email.inbound"], "email.inbound", 1),
        (["*"], "", 1),
        (["shopify.*"], "shopify", None),
        (["shopify.*"], "shopifyx.ticket", None),
        (["shopify.ticket"], "Shopify.ticket", None),
        ([], "x", None),
    ],
)
def test_the_most_precise_wins(patterns: list[str], event_type: str, winner: int | None) -> None:
    found = match(
        [playbook(pattern, number) for number, pattern in enumerate(patterns, 1)], event_type
    )

    assert (found.id if found else None) == (f"p{winner}" if winner else None)


@given(
    st.lists(st.sampled_from(["*", "a.*", "a.b.*", "a.b", "a.b.c"])), st.text("ab.c", max_size=6)
)
def test_an_exact_match_always_wins(patterns: list[str], event_type: str) -> None:
    playbooks = [playbook(pattern, number) for number, pattern in enumerate(patterns)]

    found = match(playbooks, event_type)

    if event_type in patterns:
        assert found is not None
        assert found.event_type == event_type


@pytest.mark.parametrize("pattern", ["*", "a", "a.b", "a.*", "a.b.*", "x" * 200])
def test_patterns_that_mean_something(pattern: str) -> None:
    assert check_pattern(pattern) == pattern


@pytest.mark.parametrize("pattern", ["", " a", "a ", "*.a", "a*", "a.*.b", "**", ".*", "x" * 201])
def test_patterns_that_mean_nothing(pattern: str) -> None:
    with pytest.raises(InvalidInput):
        check_pattern(pattern)

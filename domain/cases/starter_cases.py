"""Ten starter cases that a client may import."""

from pathlib import Path
from typing import Final

from domain.cases.case import CaseSpec
from domain.cases.case_documents import parse_cases

STARTER_CASES: Final = Path(__file__).with_name("starter.yaml")


_OF_DEMO_ARTICLES: Final = frozenset({"Shipping times and costs", "Washing the linen blanket"})
"""The names of the cases that pass only with the demo shop's articles."""


def common_cases() -> tuple[CaseSpec, ...]:
    """Return the starter cases that pass without a shop's own articles."""
    return tuple(case for case in starter_cases() if case.name not in _OF_DEMO_ARTICLES)


def starter_cases() -> tuple[CaseSpec, ...]:
    """Return the starter cases. They pass with the starter playbooks and the demo shop's
    content."""
    return parse_cases(STARTER_CASES.read_bytes())

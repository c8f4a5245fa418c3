"""Ten starter cases that a client may import."""

from pathlib import Path
from typing import Final

from domain.cases.case import CaseSpec
from domain.cases.case_documents import parse_cases

STARTER_CASES: Final = Path(__file__).with_name("starter.yaml")


def starter_cases() -> tuple[CaseSpec, ...]:
    """Return the starter cases. They pass with the starter playbooks and the demo shop's
    content."""
    return parse_cases(STARTER_CASES.read_bytes())

"""Ten saved cases to begin with, for who imports them."""

from pathlib import Path
from typing import Final

from domain.cases.case import CaseSpec
from domain.cases.case_documents import parse_cases

STARTER_CASES: Final = Path(__file__).with_name("starter.yaml")


def starter_cases() -> tuple[CaseSpec, ...]:
    """They are green on the starter playbooks and the demo shop's content."""
    return parse_cases(STARTER_CASES.read_bytes())

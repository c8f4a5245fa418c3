"""The playbooks of a new client."""

from pathlib import Path
from typing import Final

from domain.playbooks.file import parse_playbooks
from domain.playbooks.playbook import PlaybookSpec

STARTER: Final = Path(__file__).with_name("starter.yaml")


def starter_playbooks() -> tuple[PlaybookSpec, ...]:
    """Return the starter playbooks, which answer customers and leave refunds to a human's
    approval."""
    return parse_playbooks(STARTER.read_bytes())

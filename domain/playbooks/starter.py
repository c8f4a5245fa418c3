"""The playbooks that a new client starts with."""

from pathlib import Path
from typing import Final

from domain.playbooks.file import parse_playbooks
from domain.playbooks.playbook import PlaybookSpec

STARTER: Final = Path(__file__).with_name("starter.yaml")


def starter_playbooks() -> tuple[PlaybookSpec, ...]:
    """Return the starter playbooks. They answer customers, and require human approval for
    refunds."""
    return parse_playbooks(STARTER.read_bytes())

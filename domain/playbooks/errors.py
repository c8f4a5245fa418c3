"""Errors around playbooks."""

from domain.core.errors import DomainError, InvalidInput


class PlaybookNotFound(DomainError):
    code = "playbook_not_found"


class PatternTaken(InvalidInput):
    """Two playbooks that are on would want the same events: the younger one would never be used."""

    code = "pattern_taken"

    def __init__(self, pattern: str, name: str) -> None:
        super().__init__(f"event type {pattern}: playbook {name} is on for it; turn it off first")

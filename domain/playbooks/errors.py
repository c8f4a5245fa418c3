"""Errors around playbooks."""

from domain.core.errors import DomainError


class PlaybookNotFound(DomainError):
    code = "playbook_not_found"

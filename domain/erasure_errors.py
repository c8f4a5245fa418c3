"""Errors around erasures."""

from domain.errors import DomainError


class ErasureNotFound(DomainError):
    code = "erasure_not_found"

"""Errors in erasures."""

from domain.core.errors import DomainError


class ErasureNotFound(DomainError):
    code = "erasure_not_found"

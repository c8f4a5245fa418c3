"""Errors in the customers domain."""

from domain.core.errors import DomainError


class CustomerNotFound(DomainError):
    """The client has no such customer, or the customer was erased."""

    code = "customer_not_found"

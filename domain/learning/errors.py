"""Errors of corrections and labelled examples."""

from collections.abc import Mapping

from domain.core.errors import DomainError


class CorrectionNotFound(DomainError):
    """The client has no such correction."""

    code = "correction_not_found"


class CorrectionDecided(DomainError):
    """The correction was already accepted or dismissed. Each correction is decided only once."""

    code = "correction_decided"


class ExampleNotFound(DomainError):
    """The client has no such labelled example."""

    code = "example_not_found"


class TooManyExamples(DomainError):
    """The client has reached its limit for labelled examples. `limit` is the maximum number of
    examples."""

    code = "too_many_examples"

    def __init__(self, limit: int) -> None:
        super().__init__(str(limit))
        self.limit = limit

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"limit": self.limit}

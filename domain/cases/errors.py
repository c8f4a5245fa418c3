"""Errors around saved cases and the publish gate."""

from collections.abc import Mapping

from domain.core.errors import DomainError


class CaseNotFound(DomainError):
    """The client has no such case."""

    code = "case_not_found"


class CaseNameTaken(DomainError):
    """Another case of the client has the name."""

    code = "case_name_taken"


class TooManyCases(DomainError):
    """The client has as many cases as one may have: `limit`."""

    code = "too_many_cases"

    def __init__(self, limit: int) -> None:
        super().__init__(str(limit))
        self.limit = limit

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"limit": self.limit}


class CaseRunNotFound(DomainError):
    """The client has no such run of its cases."""

    code = "case_run_not_found"


class CaseRunUnderWay(DomainError):
    """Another run of the client's cases is not over yet."""

    code = "case_run_under_way"


class CasesNotGreen(DomainError):
    """The playbook would go live without its cases being green: `failing` failed, `untried` were
    not tried on just this playbook, content and model."""

    code = "cases_not_green"

    def __init__(self, failing: int, untried: int) -> None:
        super().__init__(f"{failing} failing, {untried} untried")
        self.failing = failing
        self.untried = untried

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"failing": self.failing, "untried": self.untried}

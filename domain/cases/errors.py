"""Errors raised by saved cases and the publish gate."""

from collections.abc import Mapping, Sequence

from domain.core.errors import DomainError, Fact, InvalidInput


class InvalidCases(InvalidInput):
    """The file or body contains invalid cases. `problems`: each problem with its path, such as
    `cases[0].tries: a whole number expected`."""

    code = "invalid_cases"

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)

    @property
    def facts(self) -> Mapping[str, Fact]:
        return {"problems": self.problems}


class CaseNotFound(DomainError):
    """The client has no saved case with this id."""

    code = "case_not_found"


class CaseNameTaken(DomainError):
    """The client already has a case with this name."""

    code = "case_name_taken"


class TooManyCases(DomainError):
    """The client has reached its case limit. `limit` is the maximum number of cases."""

    code = "too_many_cases"

    def __init__(self, limit: int) -> None:
        super().__init__(str(limit))
        self.limit = limit

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"limit": self.limit}


class SavedCasesFull(DomainError):
    """The client's cases together would exceed the size limit. `limit` is the limit in KiB."""

    code = "saved_cases_full"

    def __init__(self, limit: int) -> None:
        super().__init__(str(limit))
        self.limit = limit

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"limit": self.limit}


class CaseRunNotFound(DomainError):
    """The client has no such case run."""

    code = "case_run_not_found"


class CaseRunUnderWay(DomainError):
    """Another run of the client's cases is still in progress."""

    code = "case_run_under_way"


class CasesNotGreen(DomainError):
    """The playbook cannot go live, because not all its cases have passed. `untried` counts the
    cases that have not run with this playbook, content and model. `cases` names the first few of
    them, failed cases first."""

    code = "cases_not_green"

    def __init__(self, failing: int, untried: int, cases: Sequence[str] = ()) -> None:
        super().__init__(f"{failing} failing, {untried} untried")
        self.failing = failing
        self.untried = untried
        self.cases = tuple(cases)[:5]

    @property
    def facts(self) -> Mapping[str, Fact]:
        return {"failing": self.failing, "untried": self.untried, "cases": self.cases}


class CaseRunsBusy(DomainError):
    """The worker runs as many batches of saved cases as it may. The batch is tried again."""

    code = "case_runs_busy"
    retryable = True
    retry_after_s = 5.0

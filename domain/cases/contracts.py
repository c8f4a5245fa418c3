"""What crosses Temporal for runs of saved cases: ids and counts."""

from domain.core.contracts import Contract


class CaseRunPlan(Contract):
    """The cases to try, in order; those that have a result already are left out. `total`: of all
    cases of the run. `is_over`: the run has ended before."""

    case_ids: tuple[str, ...]
    total: int
    is_over: bool = False


class TryCasesInput(Contract):
    """`case_ids`: few enough that an activity ends in time. `remote_brain`: whether thinking leaves
    the process."""

    client_id: str
    record_id: str
    case_ids: tuple[str, ...]
    remote_brain: bool = False


class EndCaseRunInput(Contract):
    """`error_code`: why it ended early; None where all cases were tried."""

    client_id: str
    record_id: str
    error_code: str | None = None


class CaseRunProgress(Contract):
    """How many cases of the run are tried, and how many of them passed."""

    total: int = 0
    done: int = 0
    passed: int = 0

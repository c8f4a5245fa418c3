"""The data that crosses Temporal for runs of saved cases: only ids and counts."""

from domain.core.contracts import Contract


class CaseRunPlan(Contract):
    """The cases to try, in order; empty if the run has ended."""

    case_ids: tuple[str, ...]


class TryCasesInput(Contract):
    """The cases for one activity. `case_ids`: few enough for the activity to finish in time.
    `done`: the number of the run's cases that are finished after this activity."""

    client_id: str
    record_id: str
    case_ids: tuple[str, ...]
    done: int


class EndCaseRunInput(Contract):
    """The end of a run. `error_code`: why it ended early; None if all cases were tried."""

    client_id: str
    record_id: str
    error_code: str | None = None


class CaseRunProgress(Contract):
    """The number of finished cases of the run, and the number of cases that passed."""

    total: int = 0
    done: int = 0
    passed: int = 0

"""The Temporal payloads for runs of saved cases: only ids and counts."""

from domain.core.contracts import Contract


class CaseRunPlan(Contract):
    """The ids of the cases to run, in order. The list is empty if the case run has ended."""

    case_ids: tuple[str, ...]


class TryCasesInput(Contract):
    """The cases of one activity, few enough to finish in time. `done` is the case run's progress
    after this activity."""

    client_id: str
    record_id: str
    case_ids: tuple[str, ...]
    done: int


class EndCaseRunInput(Contract):
    """The end of a run of saved cases. `error_code` is the reason why the run ended early, or None
    if all cases were tried."""

    client_id: str
    record_id: str
    error_code: str | None = None


class CaseRunProgress(Contract):
    """The number of finished and passed cases in a case run."""

    total: int = 0
    done: int = 0
    passed: int = 0

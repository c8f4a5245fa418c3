"""What crosses Temporal for runs of saved cases: ids and counts."""

from domain.core.contracts import Contract


class CaseRunPlan(Contract):
    """The cases to try, in order; none of a run that is over."""

    case_ids: tuple[str, ...]


class TryCasesInput(Contract):
    """`case_ids`: few enough that an activity ends in time. `done`: how many cases of the run will
    be over with them."""

    client_id: str
    record_id: str
    case_ids: tuple[str, ...]
    done: int


class EndCaseRunInput(Contract):
    """`error_code`: why it ended early; None where all cases were tried."""

    client_id: str
    record_id: str
    error_code: str | None = None


class CaseRunProgress(Contract):
    """How many cases of the run are over, and how many of them passed."""

    total: int = 0
    done: int = 0
    passed: int = 0

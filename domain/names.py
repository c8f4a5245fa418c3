"""Names that Temporal keeps for as long as a history lives. Never change one: add another."""

from typing import Final

ENGINE_QUEUE: Final = "engine"

PROCESS_EVENT: Final = "ProcessEvent"
DRY_RUN: Final = "DryRun"
SWEEP: Final = "Sweep"
MONTHLY_RESET: Final = "MonthlyReset"
HOUSEKEEPING: Final = "Housekeeping"

ANSWER_UPDATE: Final = "answer"
REVIEW_DECIDED_SIGNAL: Final = "review_decided"

NORMALIZE: Final = "event.normalize"
LOOK_UP: Final = "event.look_up"
THINK: Final = "event.brain"
EXECUTE: Final = "event.execute"
PERSIST: Final = "event.persist"
SETTLE_REVIEW: Final = "review.settle"
REHEARSE: Final = "event.dry_run"
SWEEP_RECEIVED: Final = "sweep.received"
SWEEP_DECISIONS: Final = "sweep.decisions"
SWEEP_KNOWLEDGE: Final = "sweep.knowledge"
OPEN_PERIOD: Final = "usage.open_period"
RECONCILE: Final = "usage.reconcile"
PRUNE: Final = "housekeeping.prune"

SWEEP_SCHEDULE: Final = "sweep"
MONTHLY_RESET_SCHEDULE: Final = "monthly-reset"
HOUSEKEEPING_SCHEDULE: Final = "housekeeping"

RUN_STATUS_ATTRIBUTE: Final = "RunStatus"
CLASSIFICATION_ATTRIBUTE: Final = "Classification"


def process_event_id(client_id: str, event_id: str) -> str:
    """The workflow id of an event's run."""
    return f"event/{client_id}/{event_id}"


def dry_run_id(client_id: str, event_id: str) -> str:
    """The workflow id of a dry run."""
    return f"dry-run/{client_id}/{event_id}"


def parse_run_id(workflow_id: str) -> dict[str, str]:
    """The client_id and event_id that a run's workflow id is made of; nothing for other ids."""
    match workflow_id.split("/"):
        case ["event" | "dry-run", client_id, event_id]:
            return {"client_id": client_id, "event_id": event_id}
        case _:
            return {}

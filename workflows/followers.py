"""Start the workflows that follow the outcome of a run. These workflows outlive the run."""

from contextlib import suppress

from temporalio import workflow
from temporalio.common import Priority
from temporalio.exceptions import WorkflowAlreadyStartedError

with workflow.unsafe.imports_passed_through():
    from domain.core import names
    from domain.runs.contracts import PersistResult, ProcessEventInput, ReopenedRun
    from workflows import options
    from workflows.notify_reviewers import start_notifications


async def start_followers(event: ProcessEventInput, stored: PersistResult) -> None:
    """Start the workflows that send notices about an outcome. Then start the runs that the outcome
    reopens, oldest first."""
    await start_notifications(event.ref.client_id, stored)
    for run in stored.reopened:
        await _start_again(event, run)


async def _start_again(case: ProcessEventInput, run: ReopenedRun) -> None:
    """Start a reopened run. If the run's first workflow has not ended yet, the sweep starts the run
    later."""
    again = case.model_copy(update={"ref": run.ref, "threshold": run.threshold, "reopened": True})
    child: workflow.ChildWorkflowConfig = {
        **options.RUN_AGAIN,
        "id": names.process_event_id(run.ref.client_id, run.ref.event_id),
        "execution_timeout": again.lifetime,
        "priority": Priority(fairness_key=run.ref.client_id),
    }
    with suppress(WorkflowAlreadyStartedError):
        await workflow.start_child_workflow(names.PROCESS_EVENT, again, **child)

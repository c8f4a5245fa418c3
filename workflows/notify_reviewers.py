"""Notify the client's reviewers about a review, in their chat."""

from contextlib import suppress

from temporalio import workflow
from temporalio.exceptions import WorkflowAlreadyStartedError

with workflow.unsafe.imports_passed_through():
    from activities.reviews.review_notices import ReviewNotices
    from domain.core import names
    from domain.reviews.contracts import TellReviewersInput
    from domain.runs.contracts import PersistResult
    from workflows import options
    from workflows.mail_answer import start_mail_answer


@workflow.defn(name=names.TELL_REVIEWERS)
class NotifyReviewers:
    @workflow.run
    async def run(self, notice: TellReviewersInput) -> None:
        await workflow.execute_activity_method(ReviewNotices.tell, notice, **options.TELLING)


async def start_notifications(client_id: str, stored: PersistResult) -> None:
    """Start the workflows that send the notices about a run's outcome. They outlive the calling
    run."""
    await start_mail_answer(client_id, stored.late_answer)
    if not stored.notice:
        return
    child: workflow.ChildWorkflowConfig = {
        **options.AFTER_RUN,
        "id": names.tell_reviewers_id(client_id, stored.notice),
    }
    notice = TellReviewersInput(client_id=client_id, review_id=stored.notice)
    with suppress(WorkflowAlreadyStartedError):
        await workflow.start_child_workflow(names.TELL_REVIEWERS, notice, **child)

"""Run the steps that call the brain. They run in this process or, if the brain calls a model
provider, as a regular activity."""

from temporalio import workflow
from temporalio.exceptions import FailureError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    from activities.agent.think import Think
    from activities.reviews.revise_review import ReviseReview
    from domain.agent.contracts import ThinkInput, ThinkResult
    from domain.agent.model_fault import ModelFault
    from domain.reviews.contracts import ReviseReviewInput
    from workflows import options
    from workflows.failure import OUTAGE, OVER_BUDGET, error_code
    from workflows.inside import inside, patiently_within_budget, within_budget


async def think(question: ThinkInput, *, remote: bool) -> ThinkResult:
    """Draft an answer. If every attempt fails, return a result without a draft, for a human agent.
    Raises FailureError if even that fails."""
    try:
        return await _think(question, remote=remote)
    except FailureError as failure:
        if is_cancelled_exception(failure):
            raise
        workflow.logger.warning("brain failed", extra={"error_code": error_code(failure)})
    fault = ModelFault.INTERNAL_ERROR
    unread = question.model_copy(update={"unread": True, "model_fault": fault})
    return await within_budget(Think.think, unread, unread)


async def think_patiently(question: ThinkInput, *, remote: bool) -> ThinkResult:
    """Draft an answer like `think`, and return the result. While the language model is unavailable,
    wait and call it again, as long as the message may wait."""
    thought = await think(question, remote=remote)
    failed_at, tries = workflow.now(), 0
    while thought.model_wait_s:
        tries += 1
        await workflow.sleep(thought.model_wait_s)
        waited_s = (workflow.now() - failed_at).total_seconds()
        waited = {"model_tries": tries, "model_waited_s": waited_s}
        thought = await think(question.model_copy(update=waited), remote=remote)
    return thought


async def _think(question: ThinkInput, *, remote: bool) -> ThinkResult:
    """Draft an answer, or hand a message that is too expensive to process to a human agent. Raises
    FailureError."""
    unread = question.model_copy(update={"unread": True})
    if not remote or question.unread:
        return await within_budget(Think.think, question, unread)
    try:
        return await workflow.execute_activity_method(Think.think, question, **options.REMOTE_BRAIN)
    except FailureError as failure:
        code = error_code(failure)
        if code == OVER_BUDGET:
            return await inside(Think.think, unread)
        if code not in OUTAGE:
            raise
        return await patiently_within_budget(Think.think, question, unread)


async def revise(step: ReviseReviewInput, *, remote: bool) -> None:
    """Revise the draft and plan of a review. If the revision fails, the draft and plan stay
    unchanged, and a human agent reads the message."""
    try:
        if remote:
            await workflow.execute_activity_method(
                ReviseReview.revise, step, **options.REMOTE_BRAIN
            )
        else:
            await workflow.execute_local_activity_method(
                ReviseReview.revise, step, **options.INSIDE
            )
    except FailureError as failure:
        workflow.logger.warning(
            "failed to revise review", extra={"error_code": error_code(failure)}
        )

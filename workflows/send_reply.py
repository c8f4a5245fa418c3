"""Send a member's reply to a customer once its undo period has passed."""

from datetime import timedelta

from temporalio import workflow
from temporalio.exceptions import FailureError

with workflow.unsafe.imports_passed_through():
    from activities.reviews.send_reply import SendReplies
    from domain.core import names
    from domain.core.contracts import BackgroundRef
    from domain.runs.contracts import FailReplyInput
    from workflows import options
    from workflows.failure import error_code
    from workflows.inside import inside
    from workflows.mail_answer import start_mail_answer


# This workflow needs no signal, because undoing a reply deletes its row in PostgreSQL. A signal
# could arrive after sending has started.
@workflow.defn(name=names.SEND_REPLY)
class SendReply:
    @workflow.run
    async def run(self, work: BackgroundRef) -> None:
        due = await inside(SendReplies.due, work)
        if due.is_over:
            return
        if due.wait_s > 0:
            await workflow.sleep(
                timedelta(seconds=due.wait_s), summary="The member can undo the reply"
            )
        try:
            done = await workflow.execute_activity_method(
                SendReplies.send, work, **options.OUTSIDE_PATIENT
            )
        except FailureError as failure:
            code = error_code(failure)
            workflow.logger.warning("failed to send reply", extra={"error_code": code})
            await self._fail(work, code)
        else:
            await start_mail_answer(work.client_id, done.late_answer)

    async def _fail(self, work: BackgroundRef, code: str) -> None:
        failed = FailReplyInput(client_id=work.client_id, record_id=work.record_id, error_code=code)
        await workflow.execute_activity_method(SendReplies.fail, failed, **options.PATIENT)

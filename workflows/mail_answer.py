"""Email a widget answer if the visitor does not see it within a few minutes."""

from contextlib import suppress
from datetime import timedelta

from temporalio import workflow
from temporalio.exceptions import WorkflowAlreadyStartedError

with workflow.unsafe.imports_passed_through():
    from activities.widget.mail_answer import MailAnswers
    from domain.core import names
    from domain.widget.contracts import LateAnswer, MailAnswerInput
    from workflows import options


@workflow.defn(name=names.MAIL_ANSWER)
class MailAnswer:
    @workflow.run
    async def run(self, mail: MailAnswerInput) -> None:
        await workflow.sleep(
            timedelta(seconds=mail.wait_s), summary="The visitor may still read the answer"
        )
        await workflow.execute_activity_method(MailAnswers.send, mail, **options.TELLING)


async def start_mail_answer(client_id: str, answer: LateAnswer | None) -> None:
    """Start the workflow that emails a late answer, if there is one. It outlives the calling
    run."""
    if answer is None:
        return
    child: workflow.ChildWorkflowConfig = {
        **options.AFTER_RUN,
        "id": names.mail_answer_id(client_id, answer.session_id, answer.number),
    }
    mail = MailAnswerInput(client_id=client_id, answer=answer)
    with suppress(WorkflowAlreadyStartedError):
        await workflow.start_child_workflow(names.MAIL_ANSWER, mail, **child)

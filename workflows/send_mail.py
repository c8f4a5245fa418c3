"""One mail of signing in: a code or an invitation."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from activities.identity.send_mail import SendMail
    from domain.core import names
    from domain.identity.contracts import SendMailInput
    from workflows import options


@workflow.defn(name=names.SEND_MAIL)
class SendIdentityMail:
    @workflow.run
    async def run(self, mail: SendMailInput) -> None:
        await workflow.execute_activity_method(SendMail.send, mail, **options.TELLING)

"""Send one email that a user is waiting for: an invitation, or a code to sign in or to verify an
address."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from activities.identity.send_mail import SendMail
    from activities.integrations.send_sender_code import SendSenderCode
    from activities.runs.address_codes import AddressCodes
    from activities.widget.send_visitor_code import SendVisitorCode
    from domain.core import names
    from domain.identity.contracts import SendMailInput
    from workflows import options


@workflow.defn(name=names.SEND_MAIL)
class SendIdentityMail:
    @workflow.run
    async def run(self, mail: SendMailInput) -> None:
        if mail.kind == "mail_sender":
            await workflow.execute_activity_method(SendSenderCode.send, mail, **options.TELLING)
        elif mail.kind == "visitor_code":
            await workflow.execute_activity_method(SendVisitorCode.send, mail, **options.TELLING)
        elif mail.kind == "address_code":
            await workflow.execute_activity_method(AddressCodes.send, mail, **options.TELLING)
        else:
            await workflow.execute_activity_method(SendMail.send, mail, **options.TELLING)

"""Email members about tickets that need them, on a schedule."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from activities.reviews.member_mails import MemberMails
    from domain.core import names
    from domain.reviews.contracts import MailMembersInput, MailMembersResult
    from workflows import options


@workflow.defn(name=names.MAIL_MEMBERS_WORKFLOW)
class MailMembers:
    @workflow.run
    async def run(self, step: MailMembersInput) -> MailMembersResult:
        return await workflow.execute_activity_method(
            MemberMails.send, step, **options.MAILING_MEMBERS
        )

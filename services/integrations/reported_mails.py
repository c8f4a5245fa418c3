"""Record bounces and spam complaints that the operator's mail relay reported."""

from domain.integrations.mail_allowance import MailGroup
from domain.tenants.actor import OPERATORS, Actor
from services.core.unit_of_work import UnitOfWork
from store.integrations.mail_counts import MailCountRepository


async def report_mails(work: UnitOfWork, actor: Actor, group: MailGroup, number: int) -> None:
    """Add bounces and spam complaints about emails from the service's address to today's
    rejections, which reduce the client's allowance.

    `work` must span clients. Raises RoleRequired, ClientNotFound.
    """
    actor.require(OPERATORS)
    counts = MailCountRepository(work.connection)
    await counts.standing(work.tenant, group, work.now)
    await counts.add_refusals(work.tenant, group, number, work.now)
    work.note(actor, "mails reported", group=group.value, number=str(number))

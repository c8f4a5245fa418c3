"""Staff: what people do in a helpdesk's ticket, and what the agent leaves to them because of it."""

from datetime import timedelta

from domain.inbound.meaning import StaffMessage, TicketClosed
from domain.inbound.webhook import Outcome
from domain.integrations.integration import Integration
from services.core.unit_of_work import UnitOfWork


async def heard(
    work: UnitOfWork,
    integration: Integration,
    message: StaffMessage | TicketClosed,
    *,
    lasts: timedelta,
) -> Outcome:
    """Pause the agent in a ticket that a person has answered in, and end the pause of one that was
    closed; idempotent by message.

    `lasts`: how long after a person's last message. Raises AuthorUndecided for a message that may
    be our own and is not known yet: it is decided a moment later.
    """
    raise NotImplementedError

"""Staff members' messages in a helpdesk ticket. They pause the AI agent in that ticket."""

from datetime import timedelta
from typing import Final, assert_never

from domain.inbound.errors import AuthorUndecided
from domain.inbound.inbound_webhook import Outcome
from domain.inbound.meaning import StaffMessage, TicketClosed
from domain.inbound.sent_by_us import Authorship, authorship, own_author
from domain.integrations.integration import Integration
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitOfWork
from store.integrations.helpdesk_pauses import HelpdeskPauseRepository
from store.learning.shadow_drafts import ShadowDrafts
from store.reviews.answered_elsewhere import BY, AnsweredElsewhere
from store.runs.ticket_messages import TicketMessages

_HELPDESK: Final = Actor.system(BY)


async def heard(
    work: UnitOfWork,
    integration: Integration,
    message: StaffMessage | TicketClosed,
    *,
    lasts: timedelta,
) -> Outcome:
    """Pause the agent for `lasts` in a ticket that a staff member answered, or end the pause in a
    closed ticket. Idempotent by message.

    The ticket's reviews are closed, so that no second answer is sent. In shadow mode, the text is
    compared with the draft. Raises AuthorUndecided if the agent may have written the message, for a
    later attempt.
    """
    if isinstance(message, TicketClosed):
        return await _closed(work, integration, message)
    written = await TicketMessages(work.connection, work.tenant).written(
        integration.id, message.ticket_id
    )
    own = own_author(integration.provider, integration.settings)
    author = authorship(message, written, own, work.now)
    match author:
        case Authorship.OURS:
            return Outcome.OWN_MESSAGE
        case Authorship.UNDECIDED:
            raise AuthorUndecided
        case Authorship.PEOPLE:
            return await _people_wrote(work, integration, message, lasts)
        case _:
            assert_never(author)


async def _people_wrote(
    work: UnitOfWork, integration: Integration, message: StaffMessage, lasts: timedelta
) -> Outcome:
    """Pause the agent in the ticket, and close the ticket's reviews. An internal note is not an
    answer, so it has no effect."""
    if not message.is_public:
        return Outcome.IGNORED
    # The agent is paused before the reviews are closed, so that a concurrent approval detects the
    # pause when it is executed.
    await HelpdeskPauseRepository(work.connection, work.tenant).pause(
        integration.id,
        message.ticket_id,
        message_id=message.message_id,
        now=work.now,
        until=work.now + lasts,
    )
    reviews = AnsweredElsewhere(work.connection, work.tenant)
    for ref, review_id in await reviews.close_all(
        integration.provider, message.ticket_id, work.now
    ):
        work.wake(ref, review_id)
        work.note(_HELPDESK, "review answered in the helpdesk", review_id=review_id)
    # The drafts are locked after the reviews because storing the outcome of a decision also locks
    # the reviews first.
    await ShadowDrafts(work.connection, work.tenant).heard(
        integration.provider, message.ticket_id, message.text, work.now
    )
    return Outcome.STAFF_ANSWERED


async def _closed(work: UnitOfWork, integration: Integration, message: TicketClosed) -> Outcome:
    pauses = HelpdeskPauseRepository(work.connection, work.tenant)
    if not await pauses.end(integration.id, message.ticket_id):
        return Outcome.IGNORED
    reviews = AnsweredElsewhere(work.connection, work.tenant)
    await reviews.give_back(integration.provider, message.ticket_id)
    return Outcome.TICKET_CLOSED

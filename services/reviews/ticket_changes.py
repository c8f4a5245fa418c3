"""Changes to several inbox tickets at once, whether or not they have open reviews."""

from collections.abc import Mapping, Sequence

from domain.reviews.errors import EscalationNotFound
from domain.runs.errors import NoReviewToReject
from domain.runs.ticket_change import ChangedTickets, TicketAction, TicketChange, TicketSelection
from domain.tenants.actor import REVIEWERS, Actor
from services.core.unit_of_work import UnitOfWork
from services.reviews.claims import claim_review, release_review
from services.reviews.decisions import reject_review
from services.reviews.triage import update_conversations
from store.reviews.inbox import InboxReader
from store.runs.triage import TriageRepository


async def change_tickets(
    work: UnitOfWork, actor: Actor, selection: TicketSelection, change: TicketChange
) -> ChangedTickets:
    """Apply one action to several tickets, all or none, each with its own audit entry.

    `claim`, `release` and `reject` apply to a ticket's open reviews. Without one, `claim` and
    `release` apply to its assignee, and `reject` fails. The other actions change the conversations.

    Raises RoleRequired, InvalidTriage, ConversationNotFound, EscalationNotFound, NoReviewToReject,
    and the errors of `claim_review` and `reject_review`.
    """
    actor.require(REVIEWERS)
    change.check()
    inbox = InboxReader(work.connection, work.tenant)
    filed = await inbox.conversations_of(selection.review_ids)
    conversations = sorted({*selection.conversation_ids, *filed.values()})
    if conversations:
        # All conversations are locked before any review, in the same order as in other
        # transactions.
        await TriageRepository(work.connection, work.tenant).lock(conversations, work.now)
    found = await inbox.open_reviews_of(conversations)
    if change.concerns_reviews:
        await _change_reviews(work, actor, change, selection, found)
        conversations = [one for one in selection.conversation_ids if one not in found]
    else:
        _check_filed(selection.review_ids, filed)
    triage = change.triage(actor.name)
    if triage is not None and conversations:
        await update_conversations(work, actor, conversations, triage)
    decides = change.action is TicketAction.REJECT
    waiting = sum(one in found for one in (*filed.values(), *selection.conversation_ids))
    return ChangedTickets(selection.size, to_decide=0 if decides else waiting)


async def _change_reviews(
    work: UnitOfWork,
    actor: Actor,
    change: TicketChange,
    selection: TicketSelection,
    found: Mapping[str, Sequence[str]],
) -> None:
    """Claim, release or reject the selected reviews and the open reviews of the selected
    conversations."""
    if change.action is TicketAction.REJECT:
        without = [one for one in selection.conversation_ids if one not in found]
        if without:
            raise NoReviewToReject(without[0])
    of_talks = [one for talk in selection.conversation_ids for one in found.get(talk, ())]
    for review_id in sorted({*selection.review_ids, *of_talks}):
        match change.action:
            case TicketAction.CLAIM:
                await claim_review(work, actor, review_id)
            case TicketAction.RELEASE:
                await release_review(work, actor, review_id)
            case _:
                await reject_review(work, actor, review_id, change.note)


def _check_filed(review_ids: Sequence[str], filed: Mapping[str, str]) -> None:
    """Raise EscalationNotFound for a review without a conversation. Such a review has no status or
    assignee to change."""
    for review_id in review_ids:
        if review_id not in filed:
            raise EscalationNotFound(review_id)

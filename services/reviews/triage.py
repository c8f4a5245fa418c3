"""The status, assignee and tags of conversations."""

from collections.abc import Iterable

from domain.runs.errors import InvalidTriage
from domain.runs.triage import ConversationTriage, TriageChange, checked_choice
from domain.tenants.actor import REVIEWERS, Actor, without_address
from services.core.unit_of_work import UnitOfWork
from store.reviews.member_notices import MemberNoticeRepository
from store.runs.triage import TriageRepository
from store.tenants.standings import MemberStandings


async def update_conversation(
    work: UnitOfWork, actor: Actor, conversation_id: str, change: TriageChange
) -> ConversationTriage:
    """Change a conversation's status, assignee or tags, and return all three. Raises the errors of
    `update_conversations`."""
    return (await update_conversations(work, actor, [conversation_id], change))[conversation_id]


async def update_conversations(
    work: UnitOfWork, actor: Actor, conversation_ids: Iterable[str], change: TriageChange
) -> dict[str, ConversationTriage]:
    """Apply the same change to several conversations, all or none, each with its own audit entry.
    Return each triage by id.

    A new assignee who chose emails is notified, except the actor. Raises RoleRequired,
    ConversationNotFound, and InvalidTriage for an invalid change, an assignee who is not a member,
    or too many conversations.
    """
    actor.require(REVIEWERS)
    chosen = checked_choice(conversation_ids)
    triages = TriageRepository(work.connection, work.tenant)
    present = await triages.lock(chosen, work.now)
    after = {one: change.applied_to(present[one], work.now) for one in chosen}
    await _check_assignee(work, change)
    if change.assignee and change.assignee != actor.name:
        assigned = [one for one in chosen if present[one].assignee != change.assignee]
        notices = MemberNoticeRepository(work.connection, work.tenant)
        await notices.assigned(assigned, change.assignee, work.now)
    for conversation_id, triage in after.items():
        await triages.set(conversation_id, triage, work.now)
        work.note(
            actor,
            "conversation updated",
            conversation_id=conversation_id,
            status=triage.status.value,
            **({"assignee": without_address(triage.assignee)} if triage.assignee else {}),
        )
    return after


async def _check_assignee(work: UnitOfWork, change: TriageChange) -> None:
    """Raise InvalidTriage if the assignee is not a member of the client."""
    if not change.assignee:
        return
    members = await MemberStandings(work.connection, work.tenant).all()
    if change.assignee not in {member.user_id for member in members}:
        raise InvalidTriage(
            "assignee: the id of a member of the client",
            "champ « assignee » : l'identifiant d'un membre du client",
        )

"""The status, the assignee and the tags of conversations."""

from domain.runs.errors import InvalidTriage
from domain.runs.triage import ConversationTriage, TriageChange
from domain.tenants.actor import REVIEWERS, Actor, without_address
from services.core.unit_of_work import UnitOfWork
from store.runs.triage import TriageRepository
from store.tenants.standings import MemberStandings


async def update_conversation(
    work: UnitOfWork, actor: Actor, conversation_id: str, change: TriageChange
) -> ConversationTriage:
    """Change the status, the assignee or the tags of a conversation, and return all three.

    The agent's work does not depend on them. Raises RoleRequired, ConversationNotFound, and
    InvalidTriage for a change that breaks a rule or an assignee who is not a member.
    """
    actor.require(REVIEWERS)
    triages = TriageRepository(work.connection, work.tenant)
    triage = change.applied_to(await triages.lock(conversation_id, work.now), work.now)
    if change.assignee:
        members = await MemberStandings(work.connection, work.tenant).all()
        if change.assignee not in {member.user_id for member in members}:
            raise InvalidTriage(
                "assignee: the id of a member of the client",
                "champ « assignee » : l'identifiant d'un membre du client",
            )
    await triages.set(conversation_id, triage, work.now)
    work.note(
        actor,
        "conversation updated",
        conversation_id=conversation_id,
        status=triage.status.value,
        **({"assignee": without_address(triage.assignee)} if triage.assignee else {}),
    )
    return triage

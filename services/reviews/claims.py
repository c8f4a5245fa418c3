"""Claims: a person looks at a review, and reserves it for a while."""

from domain.reviews.escalation import Claim
from domain.tenants.actor import MANAGERS, REVIEWERS, Actor
from services.core.unit_of_work import UnitOfWork
from store.reviews.escalations import EscalationRepository
from store.widget.session_messages import SessionMessageRepository


async def claim_review(
    work: UnitOfWork, actor: Actor, review_id: str, *, force: bool = False
) -> Claim:
    """For half an hour; claiming one's own again renews it. `force` takes it from whoever has it,
    which owners and admins may.

    Raises RoleRequired, EscalationNotFound, EscalationDecided, EscalationClaimed.
    """
    actor.require(MANAGERS if force else REVIEWERS)
    claim = await EscalationRepository(work.connection, work.tenant).claim(
        review_id, actor.name, work.now, force=force
    )
    await SessionMessageRepository(work.connection, work.tenant).changed_by_review(review_id)
    work.note(actor, "review claimed", review_id=review_id)
    return claim


async def release_review(work: UnitOfWork, actor: Actor, review_id: str) -> None:
    """Give a claim back. Raises what `claim_review` raises."""
    actor.require(REVIEWERS)
    await EscalationRepository(work.connection, work.tenant).release(
        review_id, actor.name, work.now
    )
    await SessionMessageRepository(work.connection, work.tenant).changed_by_review(review_id)
    work.note(actor, "review released", review_id=review_id)

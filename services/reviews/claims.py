"""Claims on reviews. A claim reserves a review for one reviewer, for a limited time."""

from domain.reviews.escalation import Claim
from domain.tenants.actor import MANAGERS, REVIEWERS, Actor
from services.core.unit_of_work import UnitOfWork
from store.reviews.escalations import EscalationRepository
from store.widget.session_messages import SessionMessageRepository


async def claim_review(
    work: UnitOfWork, actor: Actor, review_id: str, *, force: bool = False
) -> Claim:
    """Claim a review for a limited time, or renew the actor's claim. If `force` is true, owners and
    admins take over another reviewer's claim.

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
    """Release the claim on a review. Raises the same errors as `claim_review`."""
    actor.require(REVIEWERS)
    await EscalationRepository(work.connection, work.tenant).release(
        review_id, actor.name, work.now
    )
    await SessionMessageRepository(work.connection, work.tenant).changed_by_review(review_id)
    work.note(actor, "review released", review_id=review_id)

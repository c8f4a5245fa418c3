"""Decisions on reviews. A review is approved, edited or rejected, and its run continues after the
commit.

The sweeper notifies a run that could not be notified. A rejection or a changed text is also stored
as an open correction.
"""

from domain.reviews.escalation import Choice, Decision, check_note, check_words
from domain.reviews.own_key import check_key_maker
from domain.reviews.own_mailbox import check_not_customer
from domain.tenants.actor import REVIEWERS, Actor
from domain.tenants.four_eyes import check_four_eyes, still_counts
from services.core.unit_of_work import UnitOfWork
from store.learning.corrections import CorrectionRepository
from store.reviews.escalations import DecisionOutcome, EscalationRepository
from store.reviews.first_approvals import FirstApprovals
from store.reviews.request_authors import RequestAuthors
from store.tenants.loosenings import LooseningRepository
from store.tenants.standings import MemberStandings
from store.widget.session_messages import SessionMessageRepository


async def approve_review(
    work: UnitOfWork,
    actor: Actor,
    review_id: str,
    *,
    seen: str | None = None,
    seen_event: str | None = None,
    seen_revision: int | None = None,
) -> DecisionOutcome:
    """Approve a review: its plan is executed with the draft as the reply.

    `seen`, `seen_event` and `seen_revision` identify the draft, latest message and revision that
    the actor has read. They default to the agent's draft, the first message and the first revision.
    `seen` is required after the first approver's edit.

    If two reviewers must approve, the first approval leaves the review open, and is void once that
    person may no longer approve.

    Raises RoleRequired, EscalationNotFound, EscalationDecided, EscalationClaimed,
    ConversationMovedOn, DraftMissing, EscalationChanged, SecondPersonRequired, SecondPersonUnfit.
    Raises OwnRequest for the author of the request and for the creator of its key
    (`domain/reviews/own_key.py`). For money, also raises it for the customer
    (`domain/reviews/own_mailbox.py`).
    """
    choice = Choice(
        Decision.APPROVE,
        actor.name,
        seen=seen,
        seen_event=seen_event,
        seen_revision=seen_revision,
    )
    return await _decide(work, actor, review_id, choice)


async def edit_review(
    work: UnitOfWork,
    actor: Actor,
    review_id: str,
    text: str,
    *,
    seen_event: str | None = None,
    seen_revision: int | None = None,
) -> DecisionOutcome:
    """Approve a review's plan with an edited reply, which a second reviewer approves or replaces.

    Raises InvalidInput for a reply that cannot be sent, and the errors of `approve_review`.
    """
    check_words(text)
    choice = Choice(
        Decision.EDIT, actor.name, text=text, seen_event=seen_event, seen_revision=seen_revision
    )
    return await _decide(work, actor, review_id, choice)


async def reject_review(
    work: UnitOfWork, actor: Actor, review_id: str, note: str | None = None
) -> DecisionOutcome:
    """Reject a review's plan and hand off the conversation to human agents. One reviewer suffices.
    `note` is for colleagues.

    Raises InvalidInput for an overlong note, and the errors of `approve_review`.
    """
    check_note(note)
    return await _decide(work, actor, review_id, Choice(Decision.REJECT, actor.name, note=note))


async def _decide(
    work: UnitOfWork, actor: Actor, review_id: str, choice: Choice
) -> DecisionOutcome:
    actor.require(REVIEWERS)
    reviews = EscalationRepository(work.connection, work.tenant)
    if choice.decision.executes:
        await reviews.lock_conversation_of(review_id)
        await _void_lost_approval(work, review_id)
    outcome = await reviews.decide(review_id, choice, work.now)
    if choice.decision.executes:
        await _check_people(work, actor, review_id, outcome)
    await SessionMessageRepository(work.connection, work.tenant).changed_by_review(review_id)
    if outcome.ref is not None:
        await CorrectionRepository(work.connection, work.tenant).note(
            work.new_id(), review_id, work.now
        )
        work.wake(outcome.ref, review_id)
    work.note(
        actor,
        "review decided",
        review_id=review_id,
        decision=choice.decision.value,
        status=outcome.status.value,
    )
    return outcome


async def _check_people(
    work: UnitOfWork, actor: Actor, review_id: str, outcome: DecisionOutcome
) -> None:
    """Check that the actor is allowed to approve the review. Raises OwnRequest,
    SecondPersonUnfit."""
    authors = RequestAuthors(work.connection, work.tenant)
    makers = await authors.key_makers(review_id)
    customers = await authors.customers(review_id)
    if not (makers or customers or outcome.needs_second):
        return
    members = await MemberStandings(work.connection, work.tenant).all()
    check_not_customer(review_id, actor, customers, members)
    check_key_maker(
        review_id,
        actor,
        makers,
        members,
        work.now,
        manager_left_at=await LooseningRepository(work.connection, work.tenant).manager_left_at(),
        needs_second=outcome.needs_second,
    )
    if outcome.needs_second:
        check_four_eyes(actor, outcome.agreed_before, members, work.now)


async def _void_lost_approval(work: UnitOfWork, review_id: str) -> None:
    """Void the first approval of a review if the first approver is no longer allowed to approve."""
    approvals = FirstApprovals(work.connection, work.tenant)
    first = await approvals.lock(review_id)
    if first is None:
        return
    members = await MemberStandings(work.connection, work.tenant).all()
    if not still_counts(first, members, work.now):
        await approvals.void(review_id)

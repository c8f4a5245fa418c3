"""/app/reviews/{id}: one review with its context, where members claim and decide the review."""

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from pydantic import TypeAdapter
from starlette.responses import Response

from api.dashboard.page import OnPage, Page
from api.dashboard.people import people_of
from api.dashboard.post import Post, Posted
from api.dashboard.typed import Typed
from api.route import PathId
from domain.agent.plan import ON_ORDERS, PlannedAction
from domain.agent.policy_decision import PolicyDecision
from domain.agent.rulebook import ActionRule
from domain.core.money import Money
from domain.dashboard.draft import Draft
from domain.learning.word_diff import Piece, word_diff
from domain.reviews.errors import EscalationChanged, EscalationNotFound
from domain.reviews.escalation import OPEN_STATUSES
from domain.reviews.review import Review
from domain.tenants.actor import ANYONE, MANAGERS, REVIEWERS
from services.core.unit_of_work import UnitOfWork
from services.dashboard.forms import standing_in
from services.reviews.approvers import missing_approver
from services.reviews.claims import claim_review, release_review
from services.reviews.decisions import approve_review, edit_review, reject_review
from services.reviews.waiting import waiting_of_run
from store.dashboard.page_drafts import PageDrafts
from store.reviews.escalations import DecisionOutcome, client_of
from store.reviews.review_context import ReviewContext, review_context
from store.reviews.reviews import read_review

_LIST: Final = "/app/reviews"
_REVIEW: Final = f"{_LIST}/{{review_id}}"
_ID: Final = PathId("review_id", "review", EscalationNotFound)
_PLAN: Final = TypeAdapter(tuple[PlannedAction, ...])

router = APIRouter(include_in_schema=False)
ReviewPost = Annotated[Post, Depends(Posted(REVIEWERS, _ID, client_of))]


@dataclass(frozen=True, slots=True)
class RuleOfDecision:
    """A policy decision, with the playbook's rule for the action and the rule's limits by name."""

    verdict: PolicyDecision
    rule: ActionRule
    limits: Mapping[str, Money]


@router.get(_REVIEW)
async def review(page: Annotated[Page, Depends(OnPage(ANYONE, _ID, client_of))]) -> Response:
    user_id = page.visit.user.id
    form = f"{_LIST}/{page.record_id}"
    async with page.resources.database.reading(page.tenant) as connection:
        found = await read_review(connection, page.tenant, page.record_id)
        context = await review_context(connection, page.tenant, found.id, user_id, page.now)
        waiting = await waiting_of_run(connection, page.tenant, page.actor, found.run_id, page.now)
        is_open = found.status in OPEN_STATUSES
        missing = None
        if is_open and (found.needs_second or user_id in found.authors):
            missing = await missing_approver(
                connection, page.tenant, user_id, page.now, needs_two=found.needs_second
            )
        drafts = await PageDrafts(connection, page.tenant, user_id).read_all(
            [f"{form}/approve", f"{form}/edit", f"{form}/reject"]
        )
    named = {found.claim and found.claim.by, found.first_approved_by, found.decided_by}
    named |= set(found.authors)
    diff, since = await asyncio.to_thread(_diffs, found, drafts.get(f"{form}/approve"))
    return page.render(
        "reviews/review.html",
        review=found,
        context=context,
        waiting=waiting,
        form=form,
        people=await people_of(page) if named - {None} else {},
        user_id=user_id,
        is_open=is_open,
        missing=missing,
        claimed_by_other=_is_claimed_by_other(page, found),
        may_decide=page.may(REVIEWERS),
        may_force=page.may(MANAGERS),
        rules=_rules(found, context),
        order_actions=[action for action in found.plan if action.kind in ON_ORDERS],
        diff=diff,
        since=since,
        seen=_seen(found),
        plan_seen=_plan_seen(found),
        edit=Typed.of({"text": found.draft}, drafts.get(f"{form}/edit")),
        reject=Typed.of({"note": ""}, drafts.get(f"{form}/reject")),
        address=f"{page.resources.settings.server.origin}{form}?client_id={page.tenant}",
    )


@router.post(f"{_REVIEW}/claim")
async def claim(post: ReviewPost) -> Response:
    """Claim the review. `force`: whether to take over a teammate's claim."""
    page, to = post.page, f"{_LIST}/{post.page.record_id}"
    async with post.working(to) as work:
        await claim_review(work, page.actor, page.record_id, force=post.ticked("force"))
    return post.done(to, "reviews.claimed")


@router.post(f"{_REVIEW}/release")
async def release(post: ReviewPost) -> Response:
    page, to = post.page, f"{_LIST}/{post.page.record_id}"
    async with post.working(to) as work:
        await release_review(work, page.actor, page.record_id)
    return post.done(to, "reviews.released")


@router.post(f"{_REVIEW}/approve")
async def approve(post: ReviewPost) -> Response:
    """Approve the review. The form contains the draft, the plan and the latest message that the
    reviewer saw."""
    page = post.page
    async with post.working() as work:
        to = await _next(post, work)
        there = await read_review(standing_in(work), page.tenant, page.record_id)
        # Browsers send line breaks in forms as CRLF.
        is_same = post.text("draft") == there.draft.replace("\r\n", "\n")
        outcome = await approve_review(
            work,
            page.actor,
            page.record_id,
            seen=there.draft if is_same else post.text("draft"),
            seen_event=post.text("latest_message") or None,
            seen_revision=_revision(post),
        )
        if not is_same or post.text("plan") != _plan_seen(there):
            raise EscalationChanged(page.record_id)
    return _decided(post, outcome, to, "reviews.approved")


@router.post(f"{_REVIEW}/edit")
async def edit(post: ReviewPost) -> Response:
    """Send an edited reply and execute the plan."""
    page = post.page
    async with post.working() as work:
        to = await _next(post, work)
        there = await read_review(standing_in(work), page.tenant, page.record_id)
        outcome = await edit_review(
            work,
            page.actor,
            page.record_id,
            post.text("text"),
            seen_event=post.text("latest_message") or None,
            seen_revision=_revision(post),
        )
        post.check_seen(_seen(there))
    return _decided(post, outcome, to, "reviews.edited")


@router.post(f"{_REVIEW}/reject")
async def reject(post: ReviewPost) -> Response:
    page = post.page
    async with post.working() as work:
        to = await _next(post, work)
        outcome = await reject_review(
            work, page.actor, page.record_id, post.text("note").strip() or None
        )
    return _decided(post, outcome, to, "reviews.rejected")


async def _next(post: Post, work: UnitOfWork) -> str:
    """Return the page to show after a decision: the next review, or the queue if there is none."""
    page = post.page
    context = await review_context(
        standing_in(work), page.tenant, page.record_id, page.visit.user.id, work.now
    )
    other = context.next_id or context.previous_id
    to = f"{_LIST}/{other}" if other else _LIST
    await post.leads_to(work, to)
    return to


def _decided(post: Post, outcome: DecisionOutcome, to: str, key: str) -> Response:
    if outcome.awaits_second:
        # Stay on this review's page, because it has the link to send to the second approver.
        return post.done(f"{_LIST}/{post.page.record_id}", "reviews.first_of_two")
    return post.done(to, key)


def _is_claimed_by_other(page: Page, found: Review) -> bool:
    claim = found.claim
    return claim is not None and claim.by != page.visit.user.id and page.now < claim.until


def _revision(post: Post) -> int | None:
    """Return the revision shown in the form, or None for a form rendered by an older release."""
    given = post.text("revision")
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 10 else None


def _plan_seen(found: Review) -> str:
    return hashlib.sha256(_PLAN.dump_json(found.plan)).hexdigest()[:16]


def _seen(found: Review) -> str:
    """Return a digest of the draft and the plan. Forms embed the digest, so that a decision is
    rejected if either has changed since the page was rendered."""
    return hashlib.sha256(_PLAN.dump_json(found.plan) + found.draft.encode()).hexdigest()[:16]


def _diffs(
    found: Review, refused: Draft | None
) -> tuple[tuple[Piece, ...], tuple[Piece, ...] | None]:
    """Return two word diffs. The first compares the agent's draft with the current draft. If an
    approval was rejected, the second compares the draft that the reviewer saw with the current
    draft. It is None if no approval was rejected or the two drafts are equal."""
    own = word_diff(found.agent_draft, found.draft) if found.draft != found.agent_draft else ()
    seen = None if refused is None else refused.fields.get("draft", "").replace("\r\n", "\n")
    if seen is None or seen == found.draft.replace("\r\n", "\n"):
        return own, None
    return own, word_diff(seen, found.draft)


def _rules(found: Review, context: ReviewContext) -> list[RuleOfDecision]:
    return [
        RuleOfDecision(verdict, rule := context.rulebook.rule(verdict.kind), _limits(rule))
        for verdict in found.verdicts
    ]


def _limits(rule: ActionRule) -> dict[str, Money]:
    if rule.limits is None:
        return {}
    given = {
        "per_action": rule.limits.per_action,
        "per_customer": rule.limits.per_customer,
        "per_day": rule.limits.per_day,
    }
    return {
        name: Money(minor=minor, currency=rule.limits.currency)
        for name, minor in given.items()
        if minor is not None
    }

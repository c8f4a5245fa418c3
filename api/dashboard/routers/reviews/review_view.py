"""Parts of a review's page that are computed from the review: word diffs, digests and rules."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pydantic import TypeAdapter

from domain.agent.plan import PlannedAction
from domain.agent.policy_decision import PolicyDecision
from domain.agent.rulebook import ActionRule
from domain.core.comparable import DiffBudget
from domain.core.money import Money
from domain.dashboard.draft import Draft
from domain.learning.word_diff import Piece, word_diff
from domain.reviews.review import Review
from store.reviews.review_context import ReviewContext

_PLAN: Final = TypeAdapter(tuple[PlannedAction, ...])


@dataclass(frozen=True, slots=True)
class RuleOfDecision:
    """A policy decision, with the playbook's rule for the action and the rule's limits by name."""

    verdict: PolicyDecision
    rule: ActionRule
    limits: Mapping[str, Money]


def is_claimed_by_other(found: Review, user_id: str, now: datetime) -> bool:
    """Return True if the claim of another reviewer is valid."""
    claim = found.claim
    return claim is not None and claim.by != user_id and now < claim.until


def plan_seen_of(found: Review) -> str:
    """Return a digest of the plan."""
    return hashlib.sha256(_PLAN.dump_json(found.plan)).hexdigest()[:16]


def seen_of(found: Review) -> str:
    """Return a digest of the draft and the plan. A decision with another digest is rejected because
    the reviewer has not seen the current draft and plan."""
    return hashlib.sha256(_PLAN.dump_json(found.plan) + found.draft.encode()).hexdigest()[:16]


def diffs_of(
    found: Review, refused: Draft | None
) -> tuple[tuple[Piece, ...], tuple[Piece, ...] | None]:
    """Return two word diffs, within one DiffBudget: the current draft against the agent's draft,
    and against the draft of a rejected approval. The second is None if there is no different
    rejected draft."""
    budget = DiffBudget()
    own: tuple[Piece, ...] = ()
    if found.draft != found.agent_draft:
        own = word_diff(found.agent_draft, found.draft, budget)
    seen = None if refused is None else refused.fields.get("draft", "").replace("\r\n", "\n")
    if seen is None or seen == found.draft.replace("\r\n", "\n"):
        return own, None
    return own, word_diff(seen, found.draft, budget)


def rules_of(found: Review, context: ReviewContext) -> list[RuleOfDecision]:
    """Return the review's policy decisions with their rules."""
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

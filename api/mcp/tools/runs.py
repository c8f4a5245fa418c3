"""A tool that explains a run and its outcome."""

from datetime import datetime
from typing import Annotated, Final

from pydantic import Field

from api.mcp.results import McpPart, Untrusted, fitted, untrusted
from api.mcp.tool import AtWork, McpTool, ToolInput, tool
from api.mcp.tools.attachments import McpAttachment, shown_attachments
from domain.agent.brain import Alternative, Citation
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import ActionKind, PlannedAction, StepOutcome
from domain.agent.policy_decision import PolicyDecision
from domain.agent.safety.sensitive import SensitiveMatter
from domain.agent.thinking_result import Finding
from domain.core.ids import ULID
from domain.core.money import Money
from domain.integrations.order import Lookup, LookupState, OrderState
from domain.reviews.escalation import Decision, EscalationStatus
from domain.runs.run import RunStatus, Timings
from domain.runs.trace import RunTrace, TracedEffect, TracedPlaybook, TracedReview
from domain.tenants.scopes import Scope
from store.runs.traces import RunTraces

_ROUNDS: Final = 10
_EFFECTS: Final = 20


class RunWanted(ToolInput):
    run_id: Annotated[str, Field(pattern=ULID, description="Id of the run to explain.")]


class McpEvent(McpPart):
    event_id: str
    event_type: str
    received_at: datetime
    customer: Untrusted | None
    subject: Untrusted | None
    text: Untrusted | None
    attachments: tuple[McpAttachment, ...]


class McpLookup(McpPart):
    """The order that the run looked up, without its untrusted text."""

    state: LookupState
    order_state: OrderState | None
    total: Money | None
    refundable: Money | None


class McpAction(McpPart):
    kind: ActionKind
    amount: Money | None
    tags: tuple[str, ...]
    text: Untrusted | None = Field(description="Text of an internal note for the staff.")


class McpReview(McpPart):
    review_id: str
    status: EscalationStatus
    reason: EscalationReason
    draft: Untrusted | None
    edited_text: Untrusted | None = Field(
        description="Text that a human agent sent instead of the AI agent's draft."
    )
    decision: Decision | None
    created_at: datetime
    decided_at: datetime | None


class McpRun(McpPart):
    """A run from event to outcome, with its steps in chronological order."""

    run_id: str
    status: RunStatus
    event: McpEvent
    playbook: TracedPlaybook
    order: McpLookup | None
    knowledge_found: tuple[Finding, ...]
    model: str | None
    classification: str | None
    intent: str | None
    confidence: float | None = Field(
        description=(
            "Confidence in the draft, from 0 to 1. Below the threshold, the answer is held "
            "for human review."
        )
    )
    alternatives: tuple[Alternative, ...]
    language: str | None
    draft: Untrusted | None
    citations: tuple[Citation, ...] = Field(description="Sources that the draft cites.")
    doubt: EscalationReason | None
    hold: EscalationReason | None = Field(
        description=(
            "Reason why the run was held for human review regardless of its confidence, or null."
        )
    )
    sensitive: SensitiveMatter | None
    verdicts: tuple[PolicyDecision, ...] = Field(
        description="Policy decisions for the plan's actions."
    )
    plan: tuple[McpAction, ...]
    handoff_reason: EscalationReason | None
    reviews: tuple[McpReview, ...]
    steps: tuple[StepOutcome, ...]
    effects: tuple[TracedEffect, ...] = Field(
        description="Actions that were executed in other systems."
    )
    answer: Untrusted | None
    error_code: str | None
    timings: Timings = Field(description="Duration of each step, in milliseconds.")
    duration_ms: int | None


async def get_run(at_work: AtWork, wanted: RunWanted) -> McpRun:
    async with at_work.resources.database.reading(at_work.tenant) as connection:
        trace = await RunTraces(connection, at_work.tenant).read(wanted.run_id)
    return fitted(lambda length: _shown(trace, length))


def _shown(trace: RunTrace, length: int) -> McpRun:
    thought, event = trace.thought, trace.event.normalized
    return McpRun(
        run_id=trace.run_id,
        status=trace.status,
        event=McpEvent(
            event_id=trace.event.event_id,
            event_type=trace.event.event_type,
            received_at=trace.event.received_at,
            customer=untrusted(event.customer_email if event else None, length),
            subject=untrusted(event.subject if event else None, length),
            text=untrusted(event.text if event else None, length),
            attachments=shown_attachments(trace.event.attachments),
        ),
        playbook=trace.playbook,
        order=_lookup(trace.lookup) if trace.lookup else None,
        knowledge_found=trace.findings,
        model=thought.model,
        classification=thought.classification,
        intent=thought.intent,
        confidence=thought.confidence,
        alternatives=thought.alternatives,
        language=thought.language,
        draft=untrusted(thought.draft, length),
        citations=thought.citations,
        doubt=thought.doubt,
        hold=thought.hold,
        sensitive=trace.sensitive,
        verdicts=trace.verdicts,
        plan=tuple(_action(action, length) for action in trace.plan),
        handoff_reason=trace.handoff_reason,
        reviews=tuple(_review(review, length) for review in trace.reviews[-_ROUNDS:]),
        steps=trace.steps,
        effects=trace.effects[-_EFFECTS:],
        answer=untrusted(trace.response, length),
        error_code=trace.error_code,
        timings=trace.timings,
        duration_ms=trace.duration_ms,
    )


def _lookup(lookup: Lookup) -> McpLookup:
    order = lookup.order
    return McpLookup(
        state=lookup.state,
        order_state=order.state if order else None,
        total=order.total if order else None,
        refundable=order.refundable if order else None,
    )


def _action(action: PlannedAction, length: int) -> McpAction:
    return McpAction(
        kind=action.kind,
        amount=action.amount,
        tags=action.tags,
        text=untrusted(action.text, length),
    )


def _review(review: TracedReview, length: int) -> McpReview:
    return McpReview(
        review_id=review.review_id,
        status=review.status,
        reason=review.reason,
        draft=untrusted(review.draft, length),
        edited_text=untrusted(review.edited_text, length),
        decision=review.decision,
        created_at=review.created_at,
        decided_at=review.decided_at,
    )


TOOLS: Final[tuple[McpTool, ...]] = (
    tool(
        "get_run",
        "Get a run",
        (
            "Get the agent's classification, plan, decisions and actions for one message, with "
            "the reasons."
        ),
        scopes=(Scope.CONVERSATIONS_READ,),
        takes=RunWanted,
        gives=McpRun,
        does=get_run,
    ),
)

"""The copilot tools that read runs: how the agent handled a message, and why."""

from datetime import datetime
from typing import Final

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.escalation_reason import EscalationReason
from domain.agent.order_changes import OrderChange, order_after
from domain.agent.plan import ActionKind, StepState
from domain.agent.policy_decision import PolicyDecision
from domain.agent.safety.sensitive import SensitiveMatter
from domain.copilot.answer import CitedKind
from domain.copilot.tool import CopilotFacts, CopilotInput, Quoted, ToolFindings, quoted
from domain.core.money import Money
from domain.integrations.order import LookupState, OrderState
from domain.reviews.escalation import Decision, EscalationStatus
from domain.runs.errors import RunNotFound
from domain.runs.run import RunStatus
from domain.runs.trace import RunTrace
from domain.tenants.actor import ANYONE
from services.copilot.copilot_service import CopilotService, ReadTool
from store.runs.order_changes import order_changes
from store.runs.run_finding import RunFinder
from store.runs.traces import RunTraces

_OF_ONE_ORDER: Final = 5


class RunNamed(CopilotInput):
    named: str = Field(
        min_length=1,
        max_length=255,
        description="Id of a run, event, review or ticket.",
    )


class ReviewOfRun(CopilotFacts):
    review_id: str
    status: EscalationStatus
    reason: EscalationReason
    decision: Decision | None
    created_at: datetime
    decided_at: datetime | None


class EffectOfRun(CopilotFacts):
    action: ActionKind
    state: str
    amount: Money | None


class OrderOfRun(CopilotFacts):
    state: LookupState
    number: Quoted | None
    order_state: OrderState | None
    total: Money | None
    refundable: Money | None


class RunReport(CopilotFacts):
    """A run with the reasons for its outcome. `threshold`: if the confidence is below this value, a
    human reviews the answer before it is sent."""

    run_id: str
    status: RunStatus
    received_at: datetime
    customer: Quoted | None
    subject: Quoted | None
    text: Quoted | None
    playbook_id: str
    playbook: str
    threshold: float
    classification: str | None
    intent: str | None
    confidence: float | None
    doubt: EscalationReason | None
    hold: EscalationReason | None
    handoff_reason: EscalationReason | None
    sensitive: SensitiveMatter | None
    verdicts: tuple[PolicyDecision, ...] = Field(
        description="Policy decisions for the plan's actions."
    )
    failed_steps: tuple[ActionKind, ...]
    order: OrderOfRun | None
    reviews: tuple[ReviewOfRun, ...]
    effects: tuple[EffectOfRun, ...] = Field(description="Actions executed in other systems.")
    answer: Quoted | None
    error_code: str | None
    knowledge: tuple[str, ...] = Field(
        description="Titles of the knowledge entries and templates on which the draft is based."
    )


class RunsOfOrder(CopilotInput):
    number: str = Field(min_length=1, max_length=50, description="The order number, without #.")


class OrderRuns(CopilotFacts):
    runs: tuple[RunReport, ...] = Field(description="Runs that looked up the order, latest first.")


async def _read(copilot: CopilotService, wanted: RunNamed) -> ToolFindings[RunReport]:
    async with copilot.database.reading(copilot.tenant) as connection:
        run_id = await RunFinder(connection, copilot.tenant).named(wanted.named)
        if run_id is None:
            raise RunNotFound(wanted.named)
        facts = await _facts(connection, copilot, run_id)
    return ToolFindings(
        facts,
        (
            copilot.cite(CitedKind.RUN, run_id, _title(facts)),
            *(
                copilot.cite(CitedKind.REVIEW, one.review_id, _title(facts))
                for one in facts.reviews
            ),
            copilot.cite(CitedKind.PLAYBOOK, facts.playbook_id, facts.playbook),
        ),
    )


async def _of_order(copilot: CopilotService, wanted: RunsOfOrder) -> ToolFindings[OrderRuns]:
    async with copilot.database.reading(copilot.tenant) as connection:
        found = await RunFinder(connection, copilot.tenant).of_order(
            wanted.number, limit=_OF_ONE_ORDER
        )
        runs = tuple([await _facts(connection, copilot, one) for one in found])
    return ToolFindings(
        OrderRuns(runs=runs),
        tuple(copilot.cite(CitedKind.RUN, one.run_id, _title(one)) for one in runs),
    )


def _title(facts: RunReport) -> str:
    words = facts.subject or facts.text
    return words.text if words else facts.run_id


async def _facts(connection: AsyncConnection, copilot: CopilotService, run_id: str) -> RunReport:
    trace = await RunTraces(connection, copilot.tenant).read(run_id)
    changes: tuple[OrderChange, ...] = ()
    if trace.lookup is not None and trace.lookup.order is not None:
        changes = await order_changes(connection, copilot.tenant, run_id)
    event, thought = trace.event.normalized, trace.thought
    return RunReport(
        run_id=trace.run_id,
        status=trace.status,
        received_at=trace.event.received_at,
        customer=quoted(event.customer_email if event else None, 320),
        subject=quoted(event.subject if event else None, 200),
        text=quoted(event.text if event else None),
        playbook_id=trace.playbook.playbook_id,
        playbook=trace.playbook.name,
        threshold=trace.playbook.threshold,
        classification=thought.classification,
        intent=thought.intent,
        confidence=thought.confidence,
        doubt=thought.doubt,
        hold=thought.hold,
        handoff_reason=trace.handoff_reason,
        sensitive=trace.sensitive,
        verdicts=trace.verdicts,
        failed_steps=tuple(one.kind for one in trace.steps if one.state is StepState.FAILED),
        order=_order(trace, changes),
        reviews=tuple(
            ReviewOfRun(
                review_id=one.review_id,
                status=one.status,
                reason=one.reason,
                decision=one.decision,
                created_at=one.created_at,
                decided_at=one.decided_at,
            )
            for one in trace.reviews
        ),
        effects=tuple(
            EffectOfRun(action=one.action, state=one.state, amount=one.amount)
            for one in trace.effects
        ),
        answer=quoted(trace.response),
        error_code=trace.error_code,
        knowledge=tuple(one.title for one in trace.findings if not one.left_out),
    )


def _order(trace: RunTrace, changes: tuple[OrderChange, ...]) -> OrderOfRun | None:
    if trace.lookup is None:
        return None
    found = trace.lookup.order
    order = None if found is None else order_after(found, changes)
    return OrderOfRun(
        state=trace.lookup.state,
        number=quoted(order.number if order else trace.lookup.number, 50),
        order_state=order.state if order else None,
        total=order.total if order else None,
        refundable=order.refundable if order else None,
    )


READ_RUN: Final = ReadTool(
    "read_run",
    "The reasons why a message was answered, was handed off to a human agent, or failed.",
    ANYONE,
    ("GET", "/api/dashboard/runs/{run_id}"),
    RunNamed,
    _read,
)
RUNS_OF_ORDER: Final = ReadTool(
    "runs_of_order",
    "The messages and actions about one order, found by the order number.",
    ANYONE,
    ("GET", "/api/dashboard/runs"),
    RunsOfOrder,
    _of_order,
)

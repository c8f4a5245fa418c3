"""The record of a run: the agent's work on one event, with the event and the actions."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from domain.agent.brain import Alternative, Category, Citation
from domain.agent.escalation_reason import EscalationReason
from domain.agent.intent import Intent
from domain.agent.plan import ActionKind, PlannedAction, StepOutcome
from domain.agent.safety.sensitive import SensitiveMatter
from domain.agent.thinking import Finding
from domain.agent.verdict import Verdict
from domain.exports.record import BigCount, Count, Id, Record, Score, Share, Time
from domain.intake.event import UnifiedEvent
from domain.intake.merchant_request import MerchantRequest
from domain.integrations.order import Lookup
from domain.runs.run import RunResult, RunStatus, Timings


class EventRecord(Record):
    """The event that started the run, as it was received. Written by the gateway."""

    source: Annotated[str | None, Field(description="The source that the caller named.")]
    event_type: Annotated[str, Field(description="The type that playbooks are matched by.")]
    customer_email: Annotated[str | None, Field(description="The address that the caller gave.")]
    message: Annotated[str | None, Field(description="The message as it came.")]
    subject: Annotated[str | None, Field(description="Its subject, once it was normalized.")]
    text: Annotated[
        str | None, Field(description="What the customer wrote now: no quotes, no signature.")
    ]
    payload: Annotated[
        dict[str, JsonValue],
        Field(
            description="All other fields of the request, with the names, types and values that "
            "the caller sent. `customer_verified` and `caller_vouches` are false if the caller "
            "cannot vouch for a customer. The normalized event is `unified`."
        ),
    ]
    unified: Annotated[
        UnifiedEvent | None,
        Field(description="The shape that the brain reads; null if it was not normalized."),
    ]
    author: Annotated[
        str | None,
        Field(default=None, description="Id of the user who typed it; null if a system sent it."),
    ]
    merchant_request: Annotated[
        MerchantRequest | None,
        Field(default=None, description="What the merchant's own system asked for, if it did."),
    ]
    received_at: Annotated[Time, Field(description="When it came.")]


class ActionRecord(Record):
    """One attempt of an action. Written by the engine before the effect, and after it."""

    id: Annotated[Id, Field(description="ULID of the entry.")]
    step: Annotated[Count, Field(description="Which action of the plan, from 0.")]
    round: Annotated[Count, Field(description="Which try: a human's approval begins a new one.")]
    action: Annotated[ActionKind, Field(description="What was to be done.")]
    state: Annotated[
        Literal["planned", "done", "failed", "unknown"],
        Field(description="`planned`: started; `unknown`: it may or may not have happened."),
    ]
    detail: Annotated[str, Field(description="Why it failed, a stable code; else empty.")]
    integration_id: Annotated[Id | None, Field(description="ULID of the connection it went by.")]
    order_key: Annotated[str | None, Field(description="Provider, a slash, the order's id there.")]
    customer_key: Annotated[str | None, Field(description="The customer, as limits count them.")]
    amount: Annotated[BigCount | None, Field(description="What was moved, in minor units (cents).")]
    currency: Annotated[str | None, Field(description="Of `amount`, as in `EUR`.")]
    reference: Annotated[str | None, Field(description="The other side's name for what was done.")]
    ticket_id: Annotated[
        str | None, Field(description="The helpdesk's ticket that it was done in.")
    ]
    planned_at: Annotated[Time, Field(description="When it was started.")]
    finished_at: Annotated[Time | None, Field(description="When its outcome was known.")]


class RunRecord(Record):
    """The agent's work on one event. Written by the engine, step by step."""

    id: Annotated[Id, Field(description="ULID of the run.")]
    event_id: Annotated[Id, Field(description="ULID of the event.")]
    playbook_id: Annotated[Id, Field(description="ULID of the playbook that took the event.")]
    playbook_version: Annotated[Count, Field(description="The version of it that holds here.")]
    status: Annotated[RunStatus, Field(description="How it stands; `received`: under way.")]
    classification: Annotated[
        Category | None, Field(description="What the message is about; null before thinking.")
    ]
    confidence: Annotated[Share | None, Field(description="How sure the agent is, 0 to 1.")]
    alternatives: Annotated[
        tuple[Alternative, ...], Field(description="Other classes, each with its confidence.")
    ]
    language: Annotated[str | None, Field(description="Of the message, ISO 639-1.")]
    draft: Annotated[str | None, Field(description="The answer that the agent would give.")]
    response: Annotated[str | None, Field(description="The answer that the customer got.")]
    answer: Annotated[
        RunResult | None, Field(description="The answer to the caller: the first outcome.")
    ]
    doubt: Annotated[EscalationReason | None, Field(description="Why the agent is unsure.")]
    hold: Annotated[
        EscalationReason | None, Field(description="Why a human must see it, however sure it is.")
    ]
    plan: Annotated[tuple[PlannedAction, ...], Field(description="The planned actions, in order.")]
    steps: Annotated[tuple[StepOutcome, ...], Field(description="The outcome of each action.")]
    citations: Annotated[tuple[Citation, ...], Field(description="What the draft rests on.")]
    sentiment: Annotated[Score | None, Field(description="Tone of the message, -1 to 1.")]
    lookup: Annotated[
        Lookup | None, Field(description="The order that was looked up, or why there is none.")
    ]
    findings: Annotated[
        tuple[Finding, ...], Field(description="The knowledge that was found for the message.")
    ]
    verdicts: Annotated[
        tuple[Verdict, ...], Field(description="What the playbook's rules say of the actions.")
    ]
    handoff_reason: Annotated[
        EscalationReason | None, Field(description="Why a human was asked first.")
    ]
    model: Annotated[str | None, Field(description="Who thought: the name of a model.")]
    tokens_in: Annotated[Count, Field(description="Tokens that a language model read.")]
    tokens_out: Annotated[Count, Field(description="Tokens that it wrote.")]
    cost_micros: Annotated[BigCount, Field(description="Its price, in millionths of a US dollar.")]
    timings: Annotated[Timings, Field(description="Milliseconds by step.")]
    duration_ms: Annotated[
        Count | None, Field(description="Milliseconds from the request to its first answer.")
    ]
    error_code: Annotated[str | None, Field(description="Why it failed, a stable code.")]
    intent: Annotated[
        Intent | None, Field(default=None, description="What the customer wants, below the class.")
    ]
    sensitive: Annotated[
        SensitiveMatter | None,
        Field(default=None, description="The matter that always reaches a human, if it is one."),
    ]
    prompt_version: Annotated[
        str | None, Field(default=None, description="Of the prompt that the model was asked with.")
    ]
    joined_review: Annotated[
        Id | None,
        Field(
            default=None,
            description="ULID of the review that the message was added to, in place of an answer.",
        ),
    ]
    received_at: Annotated[Time, Field(description="When the event came.")]
    answered_at: Annotated[Time | None, Field(description="When the caller was answered.")]
    finished_at: Annotated[
        Time | None, Field(description="When it ended; null while a human is asked.")
    ]
    event: Annotated[EventRecord, Field(description="What brought it about.")]
    actions: Annotated[
        tuple[ActionRecord, ...], Field(description="What was tried, in the order of the plan.")
    ]

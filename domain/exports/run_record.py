"""The record of a run: the agent's work on one event, with the event and the actions."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from domain.agent.brain import Alternative, Category, Citation
from domain.agent.escalation_reason import EscalationReason
from domain.agent.intent import Intent
from domain.agent.plan import ActionKind, PlannedAction, StepOutcome
from domain.agent.policy_decision import PolicyDecision
from domain.agent.safety.sensitive import SensitiveMatter
from domain.agent.thinking import Finding
from domain.exports.record import BigCount, Count, Id, Record, Score, Share, Time
from domain.intake.event import UnifiedEvent
from domain.intake.merchant_request import MerchantRequest
from domain.integrations.order import Lookup
from domain.runs.run import RunResult, RunStatus, Timings


class EventRecord(Record):
    """The event that started the run, as it was received. Written by the gateway."""

    source: Annotated[str | None, Field(description="Source named by the caller.")]
    event_type: Annotated[
        str, Field(description="Event type, which is matched with the playbooks.")
    ]
    customer_email: Annotated[
        str | None, Field(description="Customer's email address, as given by the caller.")
    ]
    message: Annotated[str | None, Field(description="Message as received.")]
    subject: Annotated[str | None, Field(description="Subject of the normalized message.")]
    text: Annotated[
        str | None, Field(description="Customer's new text, without quotes and signature.")
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
        Field(
            description="Normalized event, as the brain reads it; null if it was not normalized."
        ),
    ]
    author: Annotated[
        str | None,
        Field(
            default=None,
            description="Id of the user who typed the message; null if a system sent it.",
        ),
    ]
    merchant_request: Annotated[
        MerchantRequest | None,
        Field(
            default=None, description="Request of the merchant's own system; null if there is none."
        ),
    ]
    received_at: Annotated[Time, Field(description="Time when the event was received.")]


class ActionRecord(Record):
    """One attempt of an action. Written by the engine before the effect, and after it."""

    id: Annotated[Id, Field(description="ULID of the entry.")]
    step: Annotated[Count, Field(description="Position of the action in the plan, starting at 0.")]
    round: Annotated[
        Count, Field(description="Round of execution; a human's approval starts a new one.")
    ]
    action: Annotated[ActionKind, Field(description="Kind of the action.")]
    state: Annotated[
        Literal["planned", "done", "failed", "unknown"],
        Field(
            description="State of the action. `planned`: started. `unknown`: it may or may not "
            "have happened."
        ),
    ]
    detail: Annotated[
        str, Field(description="Stable error code of a failed action; otherwise empty.")
    ]
    integration_id: Annotated[Id | None, Field(description="ULID of the integration used.")]
    order_key: Annotated[
        str | None,
        Field(description="Order, as the provider, a slash and the provider's order id."),
    ]
    customer_key: Annotated[
        str | None,
        Field(description="Customer's email address in canonical form, as used for limits."),
    ]
    amount: Annotated[BigCount | None, Field(description="Amount moved, in minor units (cents).")]
    currency: Annotated[str | None, Field(description="Currency of `amount`, such as `EUR`.")]
    reference: Annotated[str | None, Field(description="Id of the effect in the external system.")]
    ticket_id: Annotated[
        str | None, Field(description="Id of the helpdesk ticket in which the action was executed.")
    ]
    planned_at: Annotated[Time, Field(description="Time when the action was started.")]
    finished_at: Annotated[Time | None, Field(description="Time when the outcome was known.")]


class RunRecord(Record):
    """The agent's work on one event. Written by the engine, step by step."""

    id: Annotated[Id, Field(description="ULID of the run.")]
    event_id: Annotated[Id, Field(description="ULID of the event.")]
    playbook_id: Annotated[Id, Field(description="ULID of the playbook that handled the event.")]
    playbook_version: Annotated[
        Count, Field(description="Version of the playbook that applies to this run.")
    ]
    status: Annotated[
        RunStatus, Field(description="Status of the run; `received` means in progress.")
    ]
    classification: Annotated[
        Category | None,
        Field(description="Category of the message; null until the brain has answered."),
    ]
    confidence: Annotated[Share | None, Field(description="Confidence of the agent, 0 to 1.")]
    alternatives: Annotated[
        tuple[Alternative, ...],
        Field(description="Other possible categories, each with its confidence."),
    ]
    language: Annotated[str | None, Field(description="Language of the message, ISO 639-1.")]
    draft: Annotated[str | None, Field(description="Answer that the agent proposes.")]
    response: Annotated[str | None, Field(description="Answer that was sent to the customer.")]
    answer: Annotated[
        RunResult | None, Field(description="Answer to the caller: the first outcome of the run.")
    ]
    doubt: Annotated[
        EscalationReason | None,
        Field(
            description="Reason of the agent's doubt. The run is escalated for it below the "
            "playbook's threshold."
        ),
    ]
    hold: Annotated[
        EscalationReason | None,
        Field(description="Escalation reason that applies at any confidence."),
    ]
    plan: Annotated[tuple[PlannedAction, ...], Field(description="Planned actions, in order.")]
    steps: Annotated[tuple[StepOutcome, ...], Field(description="Outcome of each action.")]
    citations: Annotated[
        tuple[Citation, ...], Field(description="Sources that the draft is based on.")
    ]
    sentiment: Annotated[Score | None, Field(description="Sentiment of the message, -1 to 1.")]
    lookup: Annotated[
        Lookup | None,
        Field(description="Result of the order lookup: the order, or why there is none."),
    ]
    findings: Annotated[
        tuple[Finding, ...], Field(description="Knowledge entries found for the message.")
    ]
    verdicts: Annotated[
        tuple[PolicyDecision, ...], Field(description="Policy decisions on the actions.")
    ]
    handoff_reason: Annotated[
        EscalationReason | None, Field(description="Reason of the run's first escalation.")
    ]
    model: Annotated[str | None, Field(description="Name of the model that answered.")]
    tokens_in: Annotated[Count, Field(description="Input tokens of the language model.")]
    tokens_out: Annotated[Count, Field(description="Output tokens of the language model.")]
    cost_micros: Annotated[
        BigCount, Field(description="Cost of the language model, in millionths of a US dollar.")
    ]
    timings: Annotated[Timings, Field(description="Duration of each step, in milliseconds.")]
    duration_ms: Annotated[
        Count | None,
        Field(description="Time from the request to its first answer, in milliseconds."),
    ]
    error_code: Annotated[str | None, Field(description="Stable error code of a failed run.")]
    intent: Annotated[
        Intent | None,
        Field(default=None, description="Intent of the customer, within the category."),
    ]
    sensitive: Annotated[
        SensitiveMatter | None,
        Field(
            default=None,
            description="Sensitive matter that always goes to a human; null if there is none.",
        ),
    ]
    prompt_version: Annotated[
        str | None, Field(default=None, description="Version of the language model's prompt.")
    ]
    joined_review: Annotated[
        Id | None,
        Field(
            default=None,
            description="ULID of the review that the message was added to instead of an answer; "
            "null if there is none.",
        ),
    ]
    received_at: Annotated[Time, Field(description="Time when the event was received.")]
    answered_at: Annotated[Time | None, Field(description="Time when the caller was answered.")]
    finished_at: Annotated[
        Time | None,
        Field(description="Time when the run finished; null while it waits for a human."),
    ]
    event: Annotated[EventRecord, Field(description="Event that started the run.")]
    actions: Annotated[
        tuple[ActionRecord, ...], Field(description="Attempted actions, in the order of the plan.")
    ]

"""Export record for a run: the agent's work on one event, with the event and the actions."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from domain.agent.brain import Alternative, Category, Citation
from domain.agent.escalation_reason import EscalationReason
from domain.agent.guard_finding import GuardFinding
from domain.agent.intent import Intent
from domain.agent.model_fault import ModelFault
from domain.agent.plan import ActionKind, PlannedAction, StepOutcome
from domain.agent.policy_decision import PolicyDecision
from domain.agent.safety.sensitive import SensitiveMatter
from domain.agent.thinking_result import Finding
from domain.exports.record import BigCount, Count, Id, Record, Score, Share, Time
from domain.intake.event import UnifiedEvent
from domain.intake.merchant_request import MerchantRequest
from domain.integrations.order import Lookup
from domain.runs.run import RunResult, RunStatus, Timings


class EventRecord(Record):
    """The event that started a run, as the service received it. The gateway writes these
    records."""

    source: Annotated[str | None, Field(description="Source of the event, as given by the caller.")]
    event_type: Annotated[str, Field(description="Type of the event, which selects the playbook.")]
    customer_email: Annotated[
        str | None, Field(description="Customer's email address, as given by the caller.")
    ]
    message: Annotated[str | None, Field(description="Customer's message, as received.")]
    subject: Annotated[str | None, Field(description="Subject of the normalized message.")]
    text: Annotated[
        str | None,
        Field(
            description=("New text of the customer's message, without quoted text and signature.")
        ),
    ]
    payload: Annotated[
        dict[str, JsonValue],
        Field(
            description=(
                "All other fields of the request, with the names, types and values that the "
                "caller sent. `customer_verified` and `caller_vouches` are false if the caller "
                "is not allowed to vouch for a customer's address. The normalized event is in "
                "`unified`."
            )
        ),
    ]
    unified: Annotated[
        UnifiedEvent | None,
        Field(
            description=(
                "Normalized event, as passed to the brain; null if the event was not normalized."
            )
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
            default=None,
            description=(
                "Action on an order that the merchant's own system requested with the event; "
                "null if there is none."
            ),
        ),
    ]
    received_at: Annotated[Time, Field(description="Time when the event was received.")]


class ActionRecord(Record):
    """One attempt to execute an action. The engine writes the record before it executes the action,
    and updates the record afterwards."""

    id: Annotated[Id, Field(description="ULID of the action's entry in the ledger.")]
    step: Annotated[Count, Field(description="Zero-based position of the action in the plan.")]
    round: Annotated[
        Count,
        Field(
            description=("Number of the execution round; a human's approval starts a new round.")
        ),
    ]
    action: Annotated[ActionKind, Field(description="Kind of the action.")]
    state: Annotated[
        Literal["planned", "done", "failed", "unknown"],
        Field(
            description=(
                "State of the action. `planned`: the action was started. `unknown`: the action "
                "may or may not have taken effect."
            )
        ),
    ]
    detail: Annotated[
        str, Field(description="Stable error code if the action failed; otherwise empty.")
    ]
    integration_id: Annotated[
        Id | None, Field(description=("ULID of the integration that the action used."))
    ]
    order_key: Annotated[
        str | None,
        Field(
            description=(
                "Order that the action concerns: the provider, a slash and the provider's order id."
            )
        ),
    ]
    order_number: Annotated[
        str | None,
        Field(
            default=None,
            description=(
                "Number of that order in lower case, without `#`. Null in files of earlier "
                "versions, and for an erased customer after thirty days."
            ),
        ),
    ]
    customer_key: Annotated[
        str | None,
        Field(
            description=(
                "Customer's email address in the canonical form that is used for rate limits. "
                "For an erased customer, `erased:` and a keyed digest of the address, or null."
            )
        ),
    ]
    amount: Annotated[
        BigCount | None,
        Field(description=("Amount of money that the action moves, in minor units (cents).")),
    ]
    currency: Annotated[str | None, Field(description="Currency of `amount`, such as `EUR`.")]
    reference: Annotated[
        str | None, Field(description=("Id that the external system gave the action's effect."))
    ]
    ticket_id: Annotated[
        str | None, Field(description="Id of the helpdesk ticket in which the action was executed.")
    ]
    planned_at: Annotated[Time, Field(description="Time when the action was started.")]
    finished_at: Annotated[
        Time | None, Field(description=("Time when the action's outcome was known."))
    ]


class RunRecord(Record):
    """A run: the agent's work on one event. The engine updates the record after each step."""

    id: Annotated[Id, Field(description="ULID of the run.")]
    event_id: Annotated[Id, Field(description="ULID of the event.")]
    playbook_id: Annotated[Id, Field(description="ULID of the playbook that handled the event.")]
    playbook_version: Annotated[
        Count, Field(description="Version of the playbook that handled the event.")
    ]
    status: Annotated[
        RunStatus,
        Field(description=("Status of the run; `received` means that the run is in progress.")),
    ]
    classification: Annotated[
        Category | None,
        Field(
            description=(
                "Category of the customer's message; null until the brain has classified it."
            )
        ),
    ]
    confidence: Annotated[
        Share | None, Field(description=("Agent's confidence in its result, from 0 to 1."))
    ]
    alternatives: Annotated[
        tuple[Alternative, ...],
        Field(description="Other possible categories of the message, each with its confidence."),
    ]
    language: Annotated[
        str | None, Field(description=("Language of the customer's message, as an ISO 639-1 code."))
    ]
    draft: Annotated[str | None, Field(description="Answer proposed by the agent.")]
    response: Annotated[str | None, Field(description="Answer that was sent to the customer.")]
    answer: Annotated[
        RunResult | None,
        Field(description=("First outcome of the run, as returned to the API caller.")),
    ]
    doubt: Annotated[
        EscalationReason | None,
        Field(
            description=(
                "Reason why the agent is uncertain. If the confidence is below the playbook's "
                "threshold, the run is escalated for this reason."
            )
        ),
    ]
    hold: Annotated[
        EscalationReason | None,
        Field(description="Reason that escalates the run regardless of the confidence."),
    ]
    plan: Annotated[
        tuple[PlannedAction, ...], Field(description=("Actions planned by the agent, in order."))
    ]
    steps: Annotated[tuple[StepOutcome, ...], Field(description="Outcome of each planned action.")]
    citations: Annotated[
        tuple[Citation, ...], Field(description="Sources on which the draft is based.")
    ]
    sentiment: Annotated[
        Score | None, Field(description=("Sentiment of the customer's message, -1 to 1."))
    ]
    lookup: Annotated[
        Lookup | None,
        Field(description="Result of the order lookup: the order, or why no order is available."),
    ]
    findings: Annotated[
        tuple[Finding, ...], Field(description="Knowledge entries found for the message.")
    ]
    verdicts: Annotated[
        tuple[PolicyDecision, ...], Field(description="Policy decisions about the planned actions.")
    ]
    guard_findings: Annotated[
        tuple[GuardFinding, ...],
        Field(
            default=(), description="Words of the draft that the guards rejected, with the outcome."
        ),
    ]
    handoff_reason: Annotated[
        EscalationReason | None, Field(description="Reason for the first escalation of the run.")
    ]
    model: Annotated[str | None, Field(description="Name of the model that drafted the answer.")]
    tokens_in: Annotated[Count, Field(description="Number of input tokens of the language model.")]
    tokens_out: Annotated[
        Count, Field(description=("Number of output tokens generated by the language model."))
    ]
    cost_micros: Annotated[
        BigCount, Field(description="Cost of the language model, in millionths of a US dollar.")
    ]
    timings: Annotated[Timings, Field(description="Duration of each step, in milliseconds.")]
    duration_ms: Annotated[
        Count | None,
        Field(description="Time from the request to the first response, in milliseconds."),
    ]
    error_code: Annotated[str | None, Field(description="Stable error code if the run failed.")]
    intent: Annotated[
        Intent | None,
        Field(default=None, description="Intent of the customer's message, within its category."),
    ]
    sensitive: Annotated[
        SensitiveMatter | None,
        Field(
            default=None,
            description=(
                "Sensitive topic of the message, which always requires a human; null if there is "
                "none."
            ),
        ),
    ]
    prompt_version: Annotated[
        str | None, Field(default=None, description="Version of the language model's prompt.")
    ]
    model_fault: Annotated[
        ModelFault | None,
        Field(
            default=None,
            description=(
                "Reason why the preferred language model did not answer; null if it answered or "
                "was not needed."
            ),
        ),
    ]
    joined_review: Annotated[
        Id | None,
        Field(
            default=None,
            description=(
                "ULID of the open review to which the message was added instead of being "
                "answered; null if there is none."
            ),
        ),
    ]
    received_at: Annotated[Time, Field(description="Time when the event was received.")]
    answered_at: Annotated[
        Time | None, Field(description=("Time when the API caller got the first response."))
    ]
    finished_at: Annotated[
        Time | None,
        Field(description="Time when the run finished; null while it is pending human review."),
    ]
    event: Annotated[EventRecord, Field(description="Event that started the run.")]
    actions: Annotated[
        tuple[ActionRecord, ...],
        Field(description=("Actions that were attempted, in the order of the plan.")),
    ]

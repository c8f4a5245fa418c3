"""Tools for events: drafts and simulations, which are never sent, and one tool that processes an
event."""

import hashlib
from dataclasses import replace
from typing import Annotated, Final, Literal

import orjson
from pydantic import Field

from api.gateway_answers import EventCaller, answer_event, dry_run_event
from api.mcp.results import McpPart, Untrusted, fitted, untrusted
from api.mcp.tool import DRAFTS, AtWork, CallEffect, McpTool, ToolInput, tool
from api.mcp.tools.conversations import ConversationId
from api.schemas.intake.gateway import NoPlaybook, parse_request
from domain.intake.event import InboundEvent
from domain.runs.run import RunResult, RunStatus
from domain.tenants.scopes import Scope
from store.intake.events import EventRepository
from store.intake.idempotency import IdempotencyKey
from store.runs.conversation_reading import ConversationReader

_MAX_MESSAGE: Final = 20_000

_FieldName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")]
_FieldValue = Annotated[str, Field(max_length=500)]


class DraftWanted(ToolInput):
    conversation_id: ConversationId


class MessageGiven(ToolInput):
    message: str = Field(
        min_length=1, max_length=_MAX_MESSAGE, description="Text of the customer's message."
    )
    event_type: str | None = Field(
        default=None,
        max_length=200,
        description="Event type, which determines the playbook, such as shopify.ticket.created.",
    )
    subject: str | None = Field(default=None, max_length=500)
    customer_email: str | None = Field(default=None, max_length=320)
    fields: dict[_FieldName, _FieldValue] = Field(
        default={},
        max_length=50,
        description=(
            "Additional fields of the event, such as order_number. Templates can refer to them."
        ),
    )


class EventGiven(MessageGiven):
    idempotency_key: str | None = Field(
        default=None,
        pattern=r"^[!-~]{1,255}$",
        description=(
            "Idempotency key. Within 24 hours, a repeated call with the same key and "
            "arguments does not create a second event."
        ),
    )


class McpDryRun(McpPart):
    """Outcome of a dry run, with the agent's draft. Nothing was stored or sent."""

    status: Literal["completed", "needs_review", "failed", "no_playbook"] = Field(
        description=(
            "completed: the answer would be sent; needs_review: the answer would be held for "
            "human review; no_playbook: no playbook handles the event."
        )
    )
    classification: str | None
    confidence: float | None
    draft: Untrusted | None = Field(description="Text of the draft, which may quote the customer.")
    sent: Literal[False] = Field(
        default=False, description="Always false, because nothing was sent."
    )


class TakenEvent(McpPart):
    """Outcome of an event that was accepted."""

    status: Literal["completed", "needs_review", "failed", "no_playbook"]
    event_id: str | None
    run_id: str | None = Field(description="Id of the run, to pass to get_run.")
    classification: str | None
    confidence: float | None
    answer: Untrusted | None = Field(description="Text of the answer to the customer.")
    acknowledgement: Untrusted | None = Field(
        description="Text that can be shown to the customer immediately."
    )
    steps_executed: int


async def draft_reply(at_work: AtWork, wanted: DraftWanted) -> McpDryRun:
    async with at_work.resources.database.reading(at_work.tenant) as connection:
        event_id = await ConversationReader(connection, at_work.tenant).latest_event(
            wanted.conversation_id
        )
        event = await EventRepository(connection, at_work.tenant).inbound(event_id)
    # The stored event's claims can be trusted: when it was stored, claims that its sender was not
    # authorized to make were removed.
    stored = replace(at_work.event_caller, vouches=True)
    return await _dry_run(at_work, stored, event)


async def simulate_message(at_work: AtWork, given: MessageGiven) -> McpDryRun:
    return await _dry_run(at_work, at_work.event_caller, _event(at_work, given))


async def push_event(at_work: AtWork, given: EventGiven) -> TakenEvent:
    idempotency = None
    if given.idempotency_key is not None:
        same = given.model_dump(mode="json", exclude={"idempotency_key"})
        digest = hashlib.sha256(orjson.dumps(same, option=orjson.OPT_SORT_KEYS)).digest()
        idempotency = IdempotencyKey(given.idempotency_key, digest)
    answer = await answer_event(
        at_work.event_caller, _event(at_work, given), idempotency, at_work.resources
    )
    return fitted(lambda length: _taken(answer, length))


def _event(at_work: AtWork, given: MessageGiven) -> InboundEvent:
    """Return the event for the given message, parsed and validated as in the gateway."""
    known = given.model_dump(
        include={"message", "event_type", "subject", "customer_email"}, exclude_none=True
    )
    event = {**given.fields, **known, "client_id": at_work.tenant, "source": "mcp"}
    return parse_request({**event, "is_test": False}).event()


async def _dry_run(at_work: AtWork, by: EventCaller, event: InboundEvent) -> McpDryRun:
    answer = await dry_run_event(by, at_work.key, event, at_work.resources)
    return fitted(lambda length: _dry_run_result(answer, length))


def _dry_run_result(answer: RunResult | NoPlaybook, length: int) -> McpDryRun:
    if isinstance(answer, NoPlaybook):
        return McpDryRun(status=answer.status, classification=None, confidence=None, draft=None)
    return McpDryRun(
        status=_shown(answer.status),
        classification=answer.classification,
        confidence=answer.confidence,
        draft=untrusted(answer.draft, length),
    )


def _taken(answer: RunResult | NoPlaybook, length: int) -> TakenEvent:
    if isinstance(answer, NoPlaybook):
        return TakenEvent(
            status=answer.status,
            event_id=None,
            run_id=None,
            classification=None,
            confidence=None,
            answer=None,
            acknowledgement=None,
            steps_executed=0,
        )
    return TakenEvent(
        status=_shown(answer.status),
        event_id=answer.event_id,
        run_id=answer.run_id,
        classification=answer.classification,
        confidence=answer.confidence,
        answer=untrusted(answer.response, length),
        acknowledgement=untrusted(answer.acknowledgement, length),
        steps_executed=answer.steps_executed,
    )


def _shown(status: RunStatus) -> Literal["completed", "needs_review", "failed"]:
    match status:
        case RunStatus.COMPLETED:
            return "completed"
        case RunStatus.NEEDS_REVIEW:
            return "needs_review"
        case _:
            return "failed"


TOOLS: Final[tuple[McpTool, ...]] = (
    tool(
        "draft_reply",
        "Draft a reply",
        "Draft the agent's answer to the customer's latest message in a conversation. The draft "
        "is never sent: a person can copy it, or answer in the dashboard.",
        scopes=(Scope.DRAFTS_WRITE, Scope.CONVERSATIONS_READ),
        takes=DraftWanted,
        gives=McpDryRun,
        does=draft_reply,
        effect=DRAFTS,
    ),
    tool(
        "simulate_message",
        "Simulate a message",
        "Simulate how the agent would handle a customer's message. Nothing is stored or sent.",
        scopes=(Scope.DRAFTS_WRITE,),
        takes=MessageGiven,
        gives=McpDryRun,
        does=simulate_message,
        effect=DRAFTS,
    ),
    tool(
        "push_event",
        "Push an event",
        "Send a customer's message to the agent. This is not a simulation: the message counts "
        "toward the quota, and the customer may receive an answer. The customer is treated as "
        "unverified, so the agent does not change any order. Without idempotency_key, a second "
        "call creates a second event.",
        scopes=(Scope.EVENTS_WRITE,),
        takes=EventGiven,
        gives=TakenEvent,
        does=push_event,
        effect=CallEffect(writes=True, repeatable=False, outside=True),
    ),
)

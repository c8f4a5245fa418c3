"""Texts that a model receives for errors: in English, with the next step. Every error that a tool
raises should have a row here. If an error has no row, it is logged, and the model receives a
general text."""

import math
from collections.abc import Mapping
from typing import Final

import structlog
from pydantic import ValidationError

from domain.billing.errors import QuotaExhausted
from domain.content.errors import ContentNotFound, TooManySuggestions
from domain.core.errors import (
    CallerBusy,
    CommitUnknown,
    DomainError,
    EngineUnavailable,
    InvalidBody,
    InvalidContent,
    InvalidQuery,
)
from domain.intake.errors import (
    ClientRateLimited,
    CustomerRateLimited,
    EventRoomUsed,
    IdempotencyKeyReused,
    RunInProgress,
    TooManyRequests,
)
from domain.runs.errors import (
    AnswerDelayed,
    AnswerTimeout,
    AnswerUnknown,
    ConversationNotFound,
    RunNotFound,
)
from domain.tenants.errors import ClientNotFound, Unauthenticated
from domain.webhooks.errors import WebhookEventNotFound, WebhookNotFound

_log = structlog.get_logger(__name__)

_AGAIN: Final = "The service is not available for the moment. Call again in a few seconds."

ADVICE: Final[Mapping[type[DomainError], str]] = {
    ConversationNotFound: "There is no such conversation. Find its id with search_conversations.",
    RunNotFound: "There is no such run, or its event was erased. get_conversation tells run ids.",
    ContentNotFound: "There is no such entry. Find its id with search_knowledge.",
    WebhookNotFound: "There is no such webhook. Call without webhook_id to see them all.",
    WebhookEventNotFound: "There is no such event. Read the resource webhook-events://all.",
    InvalidContent: "The text was refused: {message}. Correct it and call again.",
    InvalidBody: "The gateway refused a field of the event. Check the arguments against the "
    "schema of the tool.",
    InvalidQuery: "first_day must not be after last_day, and at most 366 days before it.",
    TooManySuggestions: "200 suggestions wait already. Ask an owner or admin to accept or "
    "refuse some in the dashboard; do not call again before.",
    TooManyRequests: "Too many calls: {quota} in {window_s} s at most.",
    CallerBusy: "Too many calls at once. Make one at a time.",
    CustomerRateLimited: "This customer has sent 10 messages in 10 minutes: no more are taken. "
    "Do not send it under another address.",
    ClientRateLimited: "200 messages came in within an hour: no more are taken.",
    EventRoomUsed: "The events of the last 24 hours have reached their storage limit: no more "
    "are taken.",
    QuotaExhausted: "The month's quota of tickets is used up and there are no credits. Tell the "
    "user; an owner can buy credits or change the plan in the dashboard.",
    IdempotencyKeyReused: "This idempotency_key was used with other arguments. Use another one "
    "for another event.",
    RunInProgress: "The event with this idempotency_key is being worked on. Call again with the "
    "same arguments in a few seconds.",
    AnswerTimeout: "The event is stored and being worked on. Do not push it again: its answer "
    "can be found with search_conversations.",
    AnswerDelayed: "The event is stored and will be worked on. Do not push it again.",
    AnswerUnknown: "Nobody can tell whether the event was stored. Push it again only with the "
    "same idempotency_key.",
    EngineUnavailable: _AGAIN,
    CommitUnknown: "It is not known whether this was stored. Look before you call again.",
    ClientNotFound: "This account is being closed. Nothing can be done with it any more.",
    Unauthenticated: "The key was revoked meanwhile. The user has to connect again.",
}

_GENERAL: Final = "The service failed. Do not repeat the call more than once."


def advice_on(error: DomainError) -> str:
    """Return the text to send to a model for an expected error."""
    text = ADVICE.get(type(error))
    if text is None:
        _log.error("MCP error without advice", code=error.code)
        return f"{_GENERAL} ({error.code})"
    told = text.format_map({**error.facts, "message": str(error)})
    wait = error.retry_after_s
    after = f" Call again in {max(1, math.ceil(wait))} s." if wait is not None else ""
    return f"{told}{after} ({error.code})"


def advice_on_arguments(error: ValidationError) -> str:
    """Return a text that explains which arguments are invalid and why, without repeating their
    values."""
    wrong = [
        f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg']}"
        for one in error.errors(include_url=False, include_input=False)[:10]
    ]
    return f"The arguments do not fit: {'; '.join(wrong)}. Correct them and call again."


def advice_on_failure(request_id: str) -> str:
    """Return the text to send to a model for an unexpected error."""
    return f"{_GENERAL} The failure is reported; its request id is {request_id}."

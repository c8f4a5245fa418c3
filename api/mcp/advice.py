"""Texts that a model receives for errors, in English and with the next step. An error without a row
is logged, and gets a general text."""

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

_AGAIN: Final = "The service is temporarily unavailable. Call again in a few seconds."

ADVICE: Final[Mapping[type[DomainError], str]] = {
    ConversationNotFound: "There is no such conversation. Find its id with search_conversations.",
    RunNotFound: (
        "There is no such run, or its event was erased. Find run ids with get_conversation."
    ),
    ContentNotFound: "There is no such entry. Find its id with search_knowledge.",
    WebhookNotFound: "There is no such webhook. Call without webhook_id to list all webhooks.",
    WebhookEventNotFound: "There is no such event. Read the resource webhook-events://all.",
    InvalidContent: "The text was rejected: {message}. Correct it and call again.",
    InvalidBody: "The gateway rejected a field of the event. Check the arguments against the "
    "tool's schema.",
    InvalidQuery: "first_day must not be after last_day, or more than 366 days before it.",
    TooManySuggestions: "There are already 200 open suggestions. Ask an owner or admin to accept "
    "or reject some in the dashboard. Do not call again before that.",
    TooManyRequests: "Too many calls: at most {quota} in {window_s} s are allowed.",
    CallerBusy: "Too many calls at once. Make one at a time.",
    CustomerRateLimited: "This customer has sent 10 messages in 10 minutes, which is the maximum. "
    "Do not send the message under another address.",
    ClientRateLimited: "The client has received 200 messages within an hour, which is the maximum.",
    EventRoomUsed: "The events of the last 24 hours have reached their storage limit. No further "
    "events are accepted.",
    QuotaExhausted: "This month's ticket quota is exhausted, and there are no credits. Tell the "
    "user that an owner can buy credits or change the plan in the dashboard.",
    IdempotencyKeyReused: "This idempotency_key was already used with other arguments. Use a new "
    "key for a new event.",
    RunInProgress: "The event with this idempotency_key is still being processed. Call again with "
    "the same arguments in a few seconds.",
    AnswerTimeout: "The event is stored and is being processed. Do not push it again. Find its "
    "answer with search_conversations.",
    AnswerDelayed: "The event is stored and will be processed. Do not push it again.",
    AnswerUnknown: "It is unknown whether the event was stored. Push it again only with the same "
    "idempotency_key.",
    EngineUnavailable: _AGAIN,
    CommitUnknown: "It is unknown whether the change was stored. Check before you call again.",
    ClientNotFound: "This account is being closed and can no longer be used.",
    Unauthenticated: "The key has been revoked. The user must connect again.",
}

_GENERAL: Final = "The service failed. Do not repeat the call more than once."


def advice_on(error: DomainError) -> str:
    """Return the text to send to a model for an expected error."""
    text = ADVICE.get(type(error))
    if text is None:
        _log.error("MCP error without advice", code=error.code)
        return f"{_GENERAL} ({error.code})"
    hint = text.format_map({**error.facts, "message": str(error)})
    wait = error.retry_after_s
    after = f" Call again in {max(1, math.ceil(wait))} s." if wait is not None else ""
    return f"{hint}{after} ({error.code})"


def advice_on_arguments(error: ValidationError) -> str:
    """Return a text that explains which arguments are invalid and why, without repeating their
    values."""
    wrong = [
        f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg']}"
        for one in error.errors(include_url=False, include_input=False)[:10]
    ]
    return f"The arguments are invalid: {'; '.join(wrong)}. Correct them and call again."


def advice_on_failure(request_id: str) -> str:
    """Return the text to send to a model for an unexpected error."""
    return f"{_GENERAL} The failure has been reported with the request id {request_id}."

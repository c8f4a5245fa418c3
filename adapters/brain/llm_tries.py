"""Requests to language models, with retries and a fallback, within a deadline.

After a transient error, the request to the same model is retried. After any other error, or if no
time is left for the same model, the next model is tried.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

import structlog
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelRequestRejectedError,
    UnexpectedModelBehavior,
)
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    stop_before_delay,
    wait_exponential,
)

from adapters.brain.llm_models import PricedModel

# The fraction of the remaining time that a model may use if another model follows.
_SHARE: Final = 0.6
_TRIES: Final = 4
_DOUBLING: Final = wait_exponential(0.25)

_log = structlog.get_logger(__name__)

Answer = TypeVar("Answer")
Ask = Callable[[PricedModel], Awaitable[Answer]]


class Unanswered(Exception):
    """No model returned an answer. `invalid`: whether the last model's answer did not match the
    schema."""

    def __init__(self, *, invalid: bool) -> None:
        super().__init__()
        self.invalid = invalid


async def first_answer(
    models: Sequence[PricedModel], ask: Ask[Answer], deadline_s: float
) -> Answer:
    """Return the answer from the first model that gives one. If other models follow, a model may
    use `_SHARE` of the remaining time. Raises Unanswered."""
    clock = asyncio.get_running_loop().time
    end = clock() + deadline_s
    invalid = False
    for place, model in enumerate(models):
        left = end - clock()
        share = left * _SHARE if place + 1 < len(models) else left
        try:
            async with asyncio.timeout(share):
                return await _asked(model, ask, share)
        except (AgentRunError, TimeoutError) as error:
            invalid = isinstance(error, UnexpectedModelBehavior)
            _note(model, error, "model gave no answer")
    raise Unanswered(invalid=invalid)


async def _asked(model: PricedModel, ask: Ask[Answer], seconds: float) -> Answer:
    """Query one model and return its answer. Retry if a retry may help and its back-off ends within
    `seconds`."""

    async def once() -> Answer:
        return await ask(model)

    def note(state: RetryCallState) -> None:
        _note(model, _failure(state), "model is asked again")

    trying = AsyncRetrying(
        retry=retry_if_exception(_may_pass),
        wait=_pause,
        stop=stop_after_attempt(_TRIES) | stop_before_delay(seconds),
        before_sleep=note,
        reraise=True,
    )
    return await trying(once)


def _pause(state: RetryCallState) -> float:
    """Return the back-off before the next attempt, in seconds. It is the provider's Retry-After if
    given, otherwise twice the last back-off."""
    error = _failure(state)
    asked = error.retry_after if isinstance(error, ModelAPIError) else None
    return asked or _DOUBLING(state)


def _failure(state: RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome else None


def _may_pass(error: BaseException) -> bool:
    """Return whether a retry may succeed. A retry cannot succeed if the provider rejected the
    request or the account."""
    return isinstance(error, ModelAPIError) and not isinstance(
        error, ModelRequestRejectedError | ModelQuotaExceededError
    )


def _note(model: PricedModel, error: BaseException | None, what: str) -> None:
    """Log only the type and status of an error, because a provider's message may quote the customer
    or a key."""
    status = error.status_code if isinstance(error, ModelHTTPError) else None
    _log.warning(what, model=model.name, error=type(error).__name__.strip("_"), status=status)

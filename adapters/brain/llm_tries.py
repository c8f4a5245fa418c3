"""Asking until somebody answers, and never beyond the deadline.

What may pass is tried again with the same model; what will not, or not in time, goes to the next.
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

from adapters.brain.llm_models import PricedModel

# Of the time that is left, while there is another model to ask.
_SHARE: Final = 0.6
_TRIES: Final = 4
_FIRST_PAUSE_S: Final = 0.25

_log = structlog.get_logger(__name__)

Answer = TypeVar("Answer")
Ask = Callable[[PricedModel], Awaitable[Answer]]


class Unanswered(Exception):
    """No model answered. `invalid`: the last one did, but not in the form it was asked for."""

    def __init__(self, *, invalid: bool) -> None:
        super().__init__()
        self.invalid = invalid


async def first_answer(
    models: Sequence[PricedModel], ask: Ask[Answer], deadline_s: float
) -> Answer:
    """What the first model that answers says.

    A model has 0.6 of the time that is left while others follow. Raises Unanswered.
    """
    clock = asyncio.get_running_loop().time
    end = clock() + deadline_s
    invalid = False
    for place, model in enumerate(models):
        left = end - clock()
        share = left * _SHARE if place + 1 < len(models) else left
        try:
            async with asyncio.timeout(share):
                return await _asked(model, ask, clock() + share)
        except (AgentRunError, TimeoutError) as error:
            invalid = isinstance(error, UnexpectedModelBehavior)
            _note(model, error, "model gave no answer")
    raise Unanswered(invalid=invalid)


async def _asked(model: PricedModel, ask: Ask[Answer], until: float) -> Answer:
    """Ask one model, again where that may help and its pause ends in time."""
    clock = asyncio.get_running_loop().time
    for tried in range(1, _TRIES + 1):
        try:
            return await ask(model)
        except ModelAPIError as error:
            pause = error.retry_after or _FIRST_PAUSE_S * 2 ** (tried - 1)
            if tried == _TRIES or not _may_pass(error) or clock() + pause >= until:
                raise
            _note(model, error, "model is asked again")
        await asyncio.sleep(pause)
    raise AssertionError("the last try returns or raises")


def _may_pass(error: ModelAPIError) -> bool:
    """Whether the same request may succeed later: not if it, or the account, was refused."""
    return not isinstance(error, ModelRequestRejectedError | ModelQuotaExceededError)


def _note(model: PricedModel, error: Exception, what: str) -> None:
    """By type and status alone: a provider's message may quote the customer, or a key."""
    status = error.status_code if isinstance(error, ModelHTTPError) else None
    _log.warning(what, model=model.name, error=type(error).__name__.strip("_"), status=status)

"""Requests to language models, with retries, circuit breakers and a fallback, within a deadline.

A transient error is retried with the same model. After another error, or without enough time, the
next model is tried.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Generic, TypeVar

import structlog
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelRequestRejectedError,
)
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    stop_before_delay,
    wait_exponential,
)

from adapters.brain.llm_faults import fault_of
from adapters.brain.llm_models import PricedModel
from domain.agent.circuit import Circuit
from domain.agent.model_fault import ModelFault

# The fraction of the remaining time that a model may use if another model follows.
_SHARE: Final = 0.6
_TRIES: Final = 4
_DOUBLING: Final = wait_exponential(0.25)

_log = structlog.get_logger(__name__)

Answer = TypeVar("Answer")
Ask = Callable[[PricedModel], Awaitable[Answer]]


class Unanswered(Exception):
    """No model returned an answer. `faults` is the fault of each model, in order of preference."""

    def __init__(self, faults: tuple[ModelFault, ...]) -> None:
        super().__init__()
        self.faults = faults


class _Failed(Exception):
    """One model returned no answer."""

    def __init__(self, fault: ModelFault) -> None:
        super().__init__()
        self.fault = fault


class ModelCalls(Generic[Answer]):
    """Calls to the configured models, in order of preference. The circuit breakers belong to this
    object, and therefore to the process."""

    def __init__(self, models: Sequence[PricedModel]) -> None:
        self._models = models
        self._circuits: defaultdict[str, Circuit] = defaultdict(Circuit)

    async def first_answer(
        self, ask: Ask[Answer], deadline_s: float
    ) -> tuple[Answer, tuple[ModelFault, ...]]:
        """Return the first model's answer and the faults before it. A model with successors may use
        `_SHARE` of the remaining time. Raises Unanswered."""
        clock = asyncio.get_running_loop().time
        end = clock() + deadline_s
        faults: tuple[ModelFault, ...] = ()
        for place, model in enumerate(self._models):
            left = end - clock()
            share = left * _SHARE if place + 1 < len(self._models) else left
            try:
                return await self._answer(model, ask, share), faults
            except _Failed as failed:
                faults += (failed.fault,)
        raise Unanswered(faults)

    async def _answer(self, model: PricedModel, ask: Ask[Answer], seconds: float) -> Answer:
        """Query one model within `seconds`, unless its circuit is open, and return its answer.
        Raises _Failed."""
        clock = asyncio.get_running_loop().time
        circuit, earlier = self._circuits[model.account], list[BaseException]()
        if not circuit.admits(clock()):
            raise _Failed(ModelFault.CIRCUIT_OPEN)
        is_settled = False
        try:
            async with asyncio.timeout(seconds):
                answer = await _asked(model, ask, seconds, earlier)
            circuit.settle(None, clock())
            is_settled = True
        except (AgentRunError, TimeoutError) as error:
            # If the time ran out during a retry, the earlier error is the cause.
            cause = earlier[-1] if isinstance(error, TimeoutError) and earlier else error
            circuit.settle(fault_of(cause), clock())
            is_settled = True
            _note(model, cause, "model gave no answer")
            raise _Failed(fault_of(cause)) from None
        finally:
            if not is_settled:
                circuit.abandon()
        return answer


async def _asked(
    model: PricedModel, ask: Ask[Answer], seconds: float, earlier: list[BaseException]
) -> Answer:
    """Query one model and return its answer, with retries if they may help within `seconds`. Their
    errors are appended to `earlier`."""

    async def once() -> Answer:
        return await ask(model)

    def note(state: RetryCallState) -> None:
        error = _failure(state)
        if error is not None:
            earlier.append(error)
            _note(model, error, "model is asked again")

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
    return (
        isinstance(error, ModelAPIError)
        and not isinstance(error, ModelRequestRejectedError | ModelQuotaExceededError)
        and fault_of(error) not in {ModelFault.REJECTED, ModelFault.FILTERED}
    )


def _note(model: PricedModel, error: BaseException, what: str) -> None:
    """Log only the fault, and the type and status of an error, because a provider's message may
    quote the customer or a key."""
    status = error.status_code if isinstance(error, ModelHTTPError) else None
    _log.warning(
        what,
        model=model.name,
        fault=fault_of(error).value,
        error=type(error).__name__.strip("_"),
        status=status,
    )

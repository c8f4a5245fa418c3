"""The reasons why a language model produced no answer, and the rules that depend on the reason."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class ModelFault(StrEnum):
    """The reason why a language model produced no answer. The values are stored and shown.

    - `outage`: the provider is unreachable or sent no valid API response.
    - `unauthorized`: the provider rejected the key, or the key may not use the model.
    - `quota_exceeded`: the account's quota or credit at the provider is used up.
    - `rate_limited`: the delay required by the provider does not fit into the deadline.
    - `not_found`: the provider does not have the model.
    - `timeout`: the provider did not respond in time.
    - `rejected`: the provider rejected the request, for example because it is too long.
    - `filtered`: the provider's content filter blocked the message.
    - `truncated`: the answer reached the token limit.
    - `empty`: the answer has no content.
    - `invalid_answer`: the answer does not have the required format.
    - `budget`: one of this service's budgets is used up, so the model was not called.
    - `circuit_open`: the circuit breaker is open, so the model was not called.
    - `internal_error`: an error in this service, which may also affect the embedded brain.
    """

    OUTAGE = "outage"
    UNAUTHORIZED = "unauthorized"
    QUOTA_EXCEEDED = "quota_exceeded"
    RATE_LIMITED = "rate_limited"
    NOT_FOUND = "not_found"
    TIMEOUT = "timeout"
    REJECTED = "rejected"
    FILTERED = "filtered"
    TRUNCATED = "truncated"
    EMPTY = "empty"
    INVALID_ANSWER = "invalid_answer"
    BUDGET = "budget"
    CIRCUIT_OPEN = "circuit_open"
    INTERNAL_ERROR = "internal_error"


ALARMING: Final = frozenset({ModelFault.UNAUTHORIZED, ModelFault.QUOTA_EXCEEDED, ModelFault.BUDGET})
"""Faults that end only when a person acts, or when a budget's period ends."""

PASSING: Final = frozenset(
    {
        *(ModelFault.OUTAGE, ModelFault.TIMEOUT, ModelFault.RATE_LIMITED),
        *(ModelFault.UNAUTHORIZED, ModelFault.QUOTA_EXCEEDED, ModelFault.NOT_FOUND),
        ModelFault.CIRCUIT_OPEN,
    }
)
"""Faults of the provider or its account. A later call for the same message may succeed."""

OPENING: Final = frozenset(
    {
        *(ModelFault.OUTAGE, ModelFault.TIMEOUT),
        *(ModelFault.UNAUTHORIZED, ModelFault.QUOTA_EXCEEDED),
    }
)
"""Faults that affect every call with the same key, and therefore open its circuit breaker."""

UNUSABLE: Final = frozenset({ModelFault.TRUNCATED, ModelFault.EMPTY, ModelFault.INVALID_ANSWER})
"""Faults of an answer that the provider delivered."""


def main_fault(faults: Sequence[ModelFault]) -> ModelFault | None:
    """Return the fault to report if several models failed: the first one that requires a person's
    action, otherwise the preferred model's fault. Return None without a fault."""
    alarming = (fault for fault in faults if fault in ALARMING)
    return next(alarming, faults[0] if faults else None)


@dataclass(frozen=True, slots=True)
class CallHealth:
    """The result of a call, for the model's health check. `fault` is the fault of the models that
    did not answer."""

    is_answered: bool = False
    fault: ModelFault | None = None

    @property
    def raised(self) -> ModelFault | None:
        """The fault that requires a person's action, or None."""
        return self.fault if self.fault in ALARMING else None

    @property
    def ended(self) -> frozenset[ModelFault]:
        """The alarms that the call ends. If only the fallback model answered, the preferred model
        may still be unusable, but the budget is not used up."""
        if not self.is_answered:
            return frozenset()
        return ALARMING if self.fault is None else frozenset({ModelFault.BUDGET})

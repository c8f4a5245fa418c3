"""Errors that occur while a language model drafts an answer.

They are raised only after all attempts within the deadline have failed, so callers do not retry.
"""

from domain.agent.model_fault import UNUSABLE, ModelFault
from domain.core.errors import DomainError


class BrainFailed(DomainError):
    """The model returned no usable answer. Tokens and cost are totals for all attempts. The cost,
    in millionths of a US dollar, is charged to the budget."""

    def __init__(
        self,
        fault: ModelFault = ModelFault.OUTAGE,
        *,
        tokens_in: int = 0,
        tokens_out: int = 0,
        cost_micros: int = 0,
    ) -> None:
        super().__init__()
        self.fault = fault
        self.tokens_in = tokens_in
        self.tokens_out = tokens_out
        self.cost_micros = cost_micros


class BrainUnavailable(BrainFailed):
    """No language model responded within the deadline."""

    code = "brain_unavailable"


class BrainInvalid(BrainFailed):
    """A language model responded, but not in the required format, even after one repair attempt."""

    code = "brain_invalid"


def failure_code(fault: ModelFault) -> str:
    """Return the error code of the failure that a fault causes."""
    return BrainInvalid.code if fault in UNUSABLE else BrainUnavailable.code


class EmbeddingUnavailable(DomainError):
    """The embedding provider did not return a usable response in time."""

    code = "embedding_unavailable"
    retryable = True

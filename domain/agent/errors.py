"""What can go wrong with thinking where a language model thinks.

Every try that fits into the deadline was made before one of these is raised: they are not retried.
"""

from domain.core.errors import DomainError


class BrainFailed(DomainError):
    """There is no answer. What the tries cost, as far as the providers said, was spent all the
    same: `tokens_in`, `tokens_out`, and `cost_micros` in millionths of a US dollar."""

    def __init__(self, *, tokens_in: int = 0, tokens_out: int = 0, cost_micros: int = 0) -> None:
        super().__init__()
        self.tokens_in = tokens_in
        self.tokens_out = tokens_out
        self.cost_micros = cost_micros


class BrainUnavailable(BrainFailed):
    """No model answered within the deadline."""

    code = "brain_unavailable"


class BrainInvalid(BrainFailed):
    """A model answered, and after one repair still not in the form it was asked for."""

    code = "brain_invalid"


class EmbeddingUnavailable(DomainError):
    """The embedding provider gave no usable answer in time."""

    code = "embedding_unavailable"
    retryable = True

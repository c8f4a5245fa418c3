"""Convert the errors of model calls to faults."""

from typing import Final

from pydantic_ai.exceptions import (
    AgentRunError,
    ContentFilterError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    OutputTokenLimitExceeded,
)
from pydantic_ai.exceptions import ModelTimeoutError as TransportTimeout

from domain.agent.model_fault import ModelFault

# The error code with which Azure OpenAI rejects a prompt.
_FILTER_CODE: Final = "content_filter"
_REQUEST_TIMEOUT: Final = 408
_TOO_LARGE: Final = 413


class EmptyAnswer(AgentRunError):
    """The model's last response has no content."""


class UnreadableAnswer(AgentRunError):
    """The provider's library failed to read the response."""


_FAULTS: Final[tuple[tuple[type[Exception], ModelFault], ...]] = (
    (EmptyAnswer, ModelFault.EMPTY),
    (OutputTokenLimitExceeded, ModelFault.TRUNCATED),
    (ContentFilterError, ModelFault.FILTERED),
    (ModelAuthenticationError, ModelFault.UNAUTHORIZED),
    (ModelQuotaExceededError, ModelFault.QUOTA_EXCEEDED),
    (ModelNotFoundError, ModelFault.NOT_FOUND),
    (ModelRateLimitError, ModelFault.RATE_LIMITED),
    (ModelRequestRejectedError, ModelFault.REJECTED),
    (TransportTimeout, ModelFault.TIMEOUT),
    (TimeoutError, ModelFault.TIMEOUT),
    (ModelAPIError, ModelFault.OUTAGE),
)
"""The fault of each type of error. The first matching type applies, so subtypes come first."""

_BY_STATUS: Final = {
    _REQUEST_TIMEOUT: ModelFault.TIMEOUT,
    _TOO_LARGE: ModelFault.REJECTED,
}


def fault_of(error: BaseException) -> ModelFault:
    """Return the fault that corresponds to an error of a model call. An error without a known type
    comes from a response that the provider's library cannot read."""
    if isinstance(error, ModelAPIError) and error.provider_error_code == _FILTER_CODE:
        return ModelFault.FILTERED
    if isinstance(error, ModelHTTPError) and error.status_code in _BY_STATUS:
        return _BY_STATUS[error.status_code]
    found = (fault for kind, fault in _FAULTS if isinstance(error, kind))
    return next(found, ModelFault.INVALID_ANSWER)

"""What is kept of a failure: a code, never a message that could hold a customer's words."""

from typing import Final

from temporalio import exceptions

TIMEOUT: Final = "timeout"
UNEXPECTED: Final = "unexpected"


def error_code(failure: BaseException) -> str:
    """The code of the innermost cause: what Temporal reports outside is always just "failed"."""
    cause = failure
    while cause.__cause__ is not None:
        cause = cause.__cause__
    if isinstance(cause, exceptions.ApplicationError):
        return cause.type or UNEXPECTED
    return TIMEOUT if isinstance(cause, exceptions.TimeoutError) else UNEXPECTED

"""Run the steps of a scheduled workflow independently, so that one failed step does not stop the
others."""

from collections.abc import Awaitable
from typing import TypeVar

from temporalio.exceptions import ApplicationError, FailureError, is_cancelled_exception

from workflows.failure import error_code

_Done = TypeVar("_Done")


async def alone(step: Awaitable[_Done], failed: list[str], *, otherwise: _Done) -> _Done:
    """Run a step and return its result. If all its attempts fail, add its error code to `failed`
    and return `otherwise`."""
    try:
        return await step
    except FailureError as failure:
        if is_cancelled_exception(failure):
            raise
        failed.append(error_code(failure))
        return otherwise


def tell(failed: list[str]) -> None:
    """Raise ApplicationError if any step failed, so that the schedule and operators see it.

    Call this after all steps. `failed` are their error codes.
    """
    if failed:
        raise ApplicationError(f"steps failed: {', '.join(failed)}", type="steps_failed")

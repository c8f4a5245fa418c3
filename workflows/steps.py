"""The steps of a round, each on its own: one that fails keeps no other from its work."""

from collections.abc import Awaitable
from typing import TypeVar

from temporalio import workflow
from temporalio.exceptions import ApplicationError, FailureError, is_cancelled_exception

from workflows.failure import error_code

_Done = TypeVar("_Done")


async def alone(step: Awaitable[_Done], failed: list[str], *, otherwise: _Done) -> _Done:
    """What the step made. Where all its tries have failed, its code is added to `failed`, and
    `otherwise` returned."""
    try:
        return await step
    except FailureError as failure:
        if is_cancelled_exception(failure) or not workflow.patched("each-step-alone"):
            raise
        failed.append(error_code(failure))
        return otherwise


def tell(failed: list[str]) -> None:
    """Let schedules and operators see that steps failed, now that the others are done.

    Raises ApplicationError, which ends the workflow as failed.
    """
    if failed:
        raise ApplicationError(f"steps failed: {', '.join(failed)}", type="steps_failed")

"""The steps of a round, each on its own: one that fails keeps no other from its work."""

from collections.abc import Awaitable
from typing import TypeVar

from temporalio import workflow
from temporalio.exceptions import ApplicationError, FailureError, is_cancelled_exception

from workflows.failure import error_code

_Done = TypeVar("_Done")


class Steps:
    def __init__(self) -> None:
        self._failed: list[str] = []

    async def take(self, step: Awaitable[_Done], otherwise: _Done) -> _Done:
        """What the step made, or `otherwise` where all its tries have failed."""
        try:
            return await step
        except FailureError as failure:
            if is_cancelled_exception(failure) or not workflow.patched("each-step-alone"):
                raise
            self._failed.append(error_code(failure))
            return otherwise

    def end(self) -> None:
        """The round has failed if a step has, now that the others are done.

        Raises ApplicationError, by which schedules and operators see it.
        """
        if self._failed:
            codes = ", ".join(self._failed)
            raise ApplicationError(f"steps failed: {codes}", type="steps_failed")

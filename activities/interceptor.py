"""What of an activity's error Temporal may keep: its code. Histories outlive erased customers."""

import structlog
from temporalio.exceptions import ApplicationError
from temporalio.worker import (
    ActivityInboundInterceptor,
    ExecuteActivityInput,
    Interceptor,
)

from domain.errors import DomainError

_log = structlog.get_logger(__name__)


class _Scrub(ActivityInboundInterceptor):
    async def execute_activity(self, input: ExecuteActivityInput) -> object:  # noqa: A002 - SDK's name
        """Run the activity; any error leaves as an ApplicationError of its code alone."""
        try:
            return await super().execute_activity(input)
        except DomainError as error:
            raise ApplicationError(
                error.code, type=error.code, non_retryable=not error.retryable
            ) from None
        except Exception as error:
            # The message stays on this machine: it may quote the row or text it failed on.
            _log.exception("activity failed", activity=input.fn.__name__)
            kind = type(error).__name__
            raise ApplicationError(kind, type=kind) from None


class ScrubErrors(Interceptor):
    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:  # noqa: A002 - SDK's name
        return _Scrub(next)

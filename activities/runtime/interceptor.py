"""The interceptor for every activity. It adds ids to the logs, and reduces errors to their codes
before Temporal stores them.

A message could contain customer data, and histories may outlive its erasure.
"""

from datetime import timedelta
from typing import Final

import structlog
from temporalio import activity
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from domain.core.contracts import RunRef
from domain.core.error_report import ErrorReport, raised
from domain.core.errors import DomainError, InternalError
from domain.core.ports import Clock, ErrorTracker
from domain.runs.contracts import DryRunInput
from domain.webhooks.contracts import DeliverInput, TellOwnerInput
from domain.webhooks.errors import Deferred

_log = structlog.get_logger(__name__)

# Maximum number of remembered failures. It can be small because a retry follows within minutes.
_MAX_KNOWN: Final = 1_000


class _Failures:
    """The latest activity failures on this worker, used to recognize repeated failures."""

    def __init__(self) -> None:
        self._known: dict[tuple[str | None, str, str], None] = {}

    def is_new(self, info: activity.Info, error: Exception) -> bool:
        """Return True if this is the first failure of this activity, in this run, with this type of
        error."""
        failure = (info.workflow_run_id, info.activity_id, type(error).__name__)
        if failure in self._known:
            return False
        self._known[failure] = None
        if len(self._known) > _MAX_KNOWN:
            del self._known[next(iter(self._known))]
        return True


class _Watch(ActivityInboundInterceptor):
    tracker: ErrorTracker
    now: Clock
    failures: _Failures

    async def execute_activity(self, input: ExecuteActivityInput) -> object:  # noqa: A002 - SDK's name
        """Run the activity and return its result. Convert any error to an ApplicationError that
        contains only the error's code."""
        known = _known_of(input.args[0] if input.args else None)
        with structlog.contextvars.bound_contextvars(**known):
            try:
                return await super().execute_activity(input)
            except Deferred as error:
                # Nothing is logged because Deferred is not a failure. Temporal waits for the
                # requested time.
                raise ApplicationError(
                    error.code,
                    type=error.code,
                    next_retry_delay=timedelta(seconds=error.retry_after_s),
                    category=ApplicationErrorCategory.BENIGN,
                ) from None
            except DomainError as error:
                after_s = error.retry_after_s
                raise ApplicationError(
                    error.code,
                    type=error.code,
                    non_retryable=not error.retryable,
                    next_retry_delay=None if after_s is None else timedelta(seconds=after_s),
                ) from None
            except Exception as error:
                # The error message is kept out of Temporal because it may quote a row or customer
                # text.
                info = activity.info()
                _log.exception("activity failed", activity=info.activity_type)
                if self.failures.is_new(info, error):
                    self._report(info.activity_type, error, known)
                kind = type(error).__name__
                raise ApplicationError(kind, type=kind) from None

    def _report(self, name: str, error: Exception, known: dict[str, str]) -> None:
        self.tracker.report(
            ErrorReport(
                place=f"activity {name}",
                code=InternalError.code,
                exceptions=raised(error),
                created_at=self.now(),
                request_id=known.get("request_id"),
                client_id=known.get("client_id"),
                event_id=known.get("event_id"),
            )
        )


def _known_of(step: object) -> dict[str, str]:
    """Return the ids of the client and of the event (or delivery) in an activity's input."""
    ref = getattr(step, "ref", None)
    if isinstance(ref, RunRef):
        known = {"client_id": ref.client_id, "event_id": ref.event_id}
        return known | ({"request_id": ref.request_id} if ref.request_id else {})
    if isinstance(step, DryRunInput):
        return {"client_id": step.client_id, "event_id": step.event_id}
    if isinstance(step, DeliverInput | TellOwnerInput):
        return {"client_id": step.client_id, "delivery_id": step.delivery_id}
    return {}


class WatchActivities(Interceptor):
    def __init__(self, tracker: ErrorTracker, now: Clock) -> None:
        self._tracker = tracker
        self._now = now
        self._failures = _Failures()

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:  # noqa: A002 - SDK's name
        watching = _Watch(next)
        watching.tracker, watching.now = self._tracker, self._now
        watching.failures = self._failures
        return watching

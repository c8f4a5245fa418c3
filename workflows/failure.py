"""Error codes of failures. Failure messages are discarded because they could contain customer
text."""

from typing import Final

from temporalio import exceptions

TIMEOUT: Final = "timeout"
UNEXPECTED: Final = "unexpected"

OUTAGE: Final = frozenset({"engine_unavailable", "unknown_provider", "large_events_wait", TIMEOUT})
"""Error codes of failures that end without intervention or with the next deployment. After such a
failure, a run is retried if no caller is waiting for it."""

OVER_BUDGET: Final = "over_budget"
"""Error code for an event that exceeds its processing budget. A retry would exceed the budget
again, so a human agent reads the event."""

MAIL_SERVERS_BUSY: Final = "mail_servers_busy"
"""Error code for an email that got no connection slot to its client's own mail server in time."""

ACTIONS_BUSY: Final = "actions_busy"
"""Error code for an action that was not started, because too many of its client's actions are in
progress."""

CASE_RUNS_BUSY: Final = "case_runs_busy"
"""Error code for a batch of saved cases that got no slot in a worker."""

SITE_IMPORTS_BUSY: Final = "site_imports_busy"
"""Error code for a page of a website that got no slot in a worker."""

_NOTHING_DONE: Final = frozenset({"mail_unreachable", "action_unreachable", "action_forbidden"})
"""Error codes of failed actions that certainly had no effect."""


def cut_short(failure: BaseException) -> bool:
    """Return True if a timeout interrupted the last attempt of an activity. Temporal then reports
    the failure of the previous attempt, and the outcome of the last attempt is unknown."""
    cause: BaseException | None = failure
    while cause is not None:
        if isinstance(cause, exceptions.TimeoutError):
            return True
        cause = cause.__cause__
    return False


def error_code(failure: BaseException) -> str:
    """Return the error code of the innermost cause of a failure. Temporal's outermost exception
    says only "failed"."""
    cause = failure
    while cause.__cause__ is not None:
        cause = cause.__cause__
    if isinstance(cause, exceptions.ApplicationError):
        return cause.type or UNEXPECTED
    return TIMEOUT if isinstance(cause, exceptions.TimeoutError) else UNEXPECTED


def nothing_done(failure: BaseException) -> bool:
    """Return True if the failed action certainly had no effect."""
    return error_code(failure) in _NOTHING_DONE and not cut_short(failure)

"""What is kept of a failure: a code, never a message that could hold a customer's words."""

from typing import Final

from temporalio import exceptions, workflow

TIMEOUT: Final = "timeout"
UNEXPECTED: Final = "unexpected"

OUTAGE: Final = frozenset({"engine_unavailable", "unknown_provider", "large_events_wait", TIMEOUT})
"""Codes that time, or the next deployment, heals: worth the patience of a run that nobody waits for
any more."""

OVER_BUDGET: Final = "over_budget"
"""The code of what costs more than an event may: no time heals it, and a person reads the event."""

_NOTHING_DONE: Final = frozenset({"mail_unreachable", "action_unreachable", "action_forbidden"})
"""Codes after which an effect surely did not happen."""


def cut_short(failure: BaseException) -> bool:
    """Whether the last try did not end but was given up. Temporal then names what the try before
    it failed with, and what this one did nobody knows."""
    cause: BaseException | None = failure
    while cause is not None:
        if isinstance(cause, exceptions.TimeoutError):
            return True
        cause = cause.__cause__
    return False


def error_code(failure: BaseException) -> str:
    """The code of the innermost cause: what Temporal reports outside is always just "failed"."""
    cause = failure
    while cause.__cause__ is not None:
        cause = cause.__cause__
    if isinstance(cause, exceptions.ApplicationError):
        return cause.type or UNEXPECTED
    return TIMEOUT if isinstance(cause, exceptions.TimeoutError) else UNEXPECTED


def nothing_done(failure: BaseException) -> bool:
    """Return whether an effect surely did not happen."""
    if error_code(failure) not in _NOTHING_DONE:
        return False
    return not (cut_short(failure) and workflow.patched("cut-short"))

"""Run steps as local activities in the worker's own process, with fallbacks for failures."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from temporalio import workflow
from temporalio.exceptions import FailureError, is_cancelled_exception

with workflow.unsafe.imports_passed_through():
    from workflows import options
    from workflows.failure import OUTAGE, OVER_BUDGET, TIMEOUT, error_code

_Room = TypeVar("_Room")
_Step = TypeVar("_Step")
_Done = TypeVar("_Done")


async def inside(activity: Callable[[_Room, _Step], Awaitable[_Done]], step: _Step) -> _Done:
    """Run a step as a local activity, and return its result. If all its attempts fail, run the step
    as a regular activity, which the Temporal server retries."""
    try:
        return await workflow.execute_local_activity_method(activity, step, **options.INSIDE)
    except FailureError:
        return await workflow.execute_activity_method(activity, step, **options.PATIENT)


async def look_up_inside(
    activity: Callable[[_Room, _Step], Awaitable[_Done]], step: _Step
) -> _Done:
    """Run the order lookup as a local activity. If it is slow or fails, run it again as a regular
    activity, with more time. Raises FailureError if that fails too."""
    try:
        return await workflow.execute_local_activity_method(
            activity, step, **options.LOOK_UP_INSIDE
        )
    except FailureError as failure:
        if is_cancelled_exception(failure):
            raise
    return await workflow.execute_activity_method(activity, step, **options.LOOK_UP)


async def within_budget(
    activity: Callable[[_Room, _Step], Awaitable[_Done]], step: _Step, given_up: _Step
) -> _Done:
    """Run a step with untrusted input as a local activity. After an outage, retry it as a regular
    activity. Raises FailureError for other failures.

    `given_up` runs instead if the event exceeds its effort budget or times out.
    """
    try:
        return await workflow.execute_local_activity_method(activity, step, **options.INSIDE)
    except FailureError as failure:
        code = error_code(failure)
        costly = code in {OVER_BUDGET, TIMEOUT}
        if not costly and code not in OUTAGE:
            raise
    if costly:
        return await inside(activity, given_up)
    return await patiently_within_budget(activity, step, given_up)


async def patiently_within_budget(
    activity: Callable[[_Room, _Step], Awaitable[_Done]], step: _Step, given_up: _Step
) -> _Done:
    """Run a step with untrusted input as a regular activity, which Temporal retries, after an
    outage.

    `given_up` runs instead if the event exceeds its effort budget.
    """
    try:
        return await workflow.execute_activity_method(activity, step, **options.PATIENT)
    except FailureError as failure:
        if error_code(failure) != OVER_BUDGET:
            raise
    return await inside(activity, given_up)


async def outside(activity: Callable[[_Room, _Step], Awaitable[_Done]], step: _Step) -> _Done:
    """Run a step as a regular activity, which the Temporal server retries, and return its result.
    Unlike `inside`, do not try a local activity first, because an earlier step has already
    failed."""
    try:
        return await workflow.execute_activity_method(activity, step, **options.PATIENT)
    except FailureError:
        return await workflow.execute_activity_method(activity, step, **options.PATIENT)

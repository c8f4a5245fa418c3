"""Which activity failures are reported."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory
from temporalio.testing import ActivityEnvironment
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput

from activities.runtime import interceptor
from activities.runtime.interceptor import WatchActivities
from adapters.system import utc_now
from domain.core.error_report import ErrorReport
from domain.core.errors import EngineUnavailable
from domain.webhooks.errors import Deferred


class Reports:
    def __init__(self) -> None:
        self.types: list[str] = []

    def report(self, report: ErrorReport) -> None:
        self.types.append(report.exceptions[0].type)


class Failing(ActivityInboundInterceptor):
    """The end of the SDK's interceptor chain: an activity that raises the next of these errors."""

    def __init__(self, errors: Iterator[Exception]) -> None:
        self._errors = errors

    async def execute_activity(self, input: ExecuteActivityInput) -> object:  # noqa: A002, ARG002 - SDK's name
        raise next(self._errors)


async def attempt(
    watch: WatchActivities, number: int, error: Exception, step: str = "1"
) -> ApplicationError:
    """Run an attempt in a new interceptor chain, as the SDK does. Return what Temporal receives of
    the error."""
    environment = ActivityEnvironment()
    environment.info = replace(environment.info, attempt=number, activity_id=step)
    chain = watch.intercept_activity(Failing(iter([error])))
    call = ExecuteActivityInput(fn=attempt, args=[], executor=None, headers={})
    with pytest.raises(ApplicationError) as told:
        await environment.run(chain.execute_activity, call)
    return told.value


async def test_the_first_of_each_kind_is_reported_whatever_its_attempt() -> None:
    reports = Reports()
    watch = WatchActivities(reports, utc_now)

    await attempt(watch, 1, EngineUnavailable())
    await attempt(watch, 2, ValueError())
    await attempt(watch, 3, ValueError())
    await attempt(watch, 4, KeyError())
    await attempt(watch, 1, ValueError(), step="2")

    assert reports.types == ["ValueError", "KeyError", "ValueError"]


async def test_the_oldest_failure_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interceptor, "_MAX_KNOWN", 1)
    reports = Reports()
    watch = WatchActivities(reports, utc_now)

    for step in ("1", "2", "2", "1"):
        await attempt(watch, 2, ValueError(), step=step)

    assert len(reports.types) == 3


async def test_what_is_deferred_says_when_it_comes_back_and_is_not_reported() -> None:
    reports = Reports()

    error = await attempt(WatchActivities(reports, utc_now), 1, Deferred(90.0))

    assert (error.type, error.next_retry_delay) == ("delivery_deferred", timedelta(seconds=90))
    assert not error.non_retryable
    assert error.category is ApplicationErrorCategory.BENIGN
    assert reports.types == []

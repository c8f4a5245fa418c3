"""Which failures of an activity are reported."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput

from activities import interceptor
from activities.interceptor import WatchActivities
from adapters.system import utc_now
from domain.error_report import ErrorReport
from domain.errors import EngineUnavailable


class Reports:
    def __init__(self) -> None:
        self.types: list[str] = []

    def report(self, report: ErrorReport) -> None:
        self.types.append(report.exceptions[0].type)


class Failing(ActivityInboundInterceptor):
    """The SDK's end of the chain: an activity that raises the next of these errors."""

    def __init__(self, errors: Iterator[Exception]) -> None:
        self._errors = errors

    async def execute_activity(self, input: ExecuteActivityInput) -> object:  # noqa: A002, ARG002 - SDK's name
        raise next(self._errors)


async def attempt(watch: WatchActivities, number: int, error: Exception, step: str = "1") -> None:
    """The SDK makes a chain of its own for every attempt."""
    environment = ActivityEnvironment()
    environment.info = replace(environment.info, attempt=number, activity_id=step)
    chain = watch.intercept_activity(Failing(iter([error])))
    call = ExecuteActivityInput(fn=attempt, args=[], executor=None, headers={})
    with pytest.raises(ApplicationError):
        await environment.run(chain.execute_activity, call)


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

"""No secret from a path appears in the access log, the metrics or the error tracker."""

import dataclasses
import re
from typing import Final

import pytest
from prometheus_client import generate_latest
from structlog.testing import capture_logs

from api.http.shown_path import is_shown
from domain.core.error_report import ErrorReport
from tests.support.core.engine import LiveEngine
from tests.support.tenants.served_routes import Route, routes_of

CANARY: Final = "ibis-canary-0123456789abcdef"
_PARAMETER: Final = re.compile(r"\{(\w+)[^}]*\}")
METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "BREW")


class Reports:
    """An error tracker that keeps all reports."""

    def __init__(self) -> None:
        self.reports: list[ErrorReport] = []

    def report(self, report: ErrorReport) -> None:
        self.reports.append(report)


def secret_routes(front: LiveEngine) -> list[Route]:
    """Return the routes with a parameter that logs do not show."""
    return [
        (method, path)
        for method, path in sorted(routes_of(front.app))
        if not all(map(is_shown, _PARAMETER.findall(path)))
    ]


def filled(path: str) -> str:
    """Return the path with a canary for each parameter that logs hide, and otherwise an id."""
    return _PARAMETER.sub(lambda one: "01J0" if is_shown(one[1]) else CANARY, path)


def test_the_tokens_that_exist_are_found(front: LiveEngine) -> None:
    paths = {path for _, path in secret_routes(front)}

    assert {
        "/app/enter/{token}",
        "/app/rate/{token}",
        "/app/unsubscribe/{token}",
        "/api/webhooks/{provider}/{token}",
    } <= paths


async def test_no_secret_of_a_path_is_written_anywhere(
    front: LiveEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With each method, with a trailing slash, and below a path that does not exist."""
    tracker = Reports()
    monkeypatch.setattr(front.app.state, "resources", _with(front, tracker))
    with capture_logs() as logged:
        for _, path in secret_routes(front):
            for method in METHODS:
                for ending in ("", "/", "/x", "/%2e%2e"):
                    await front.http.request(method, filled(path) + ending)

    lines = [line for line in logged if line["event"] == "request"]
    assert lines
    assert [line for line in logged if CANARY in str(line)] == []
    assert [one for one in tracker.reports if CANARY in str(one)] == []
    numbers = generate_latest(front.app.state.resources.metrics.registry).decode()
    assert CANARY not in numbers


async def test_a_failing_route_reports_its_template(
    front: LiveEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail() -> None:
        raise ValueError(CANARY)

    tracker = Reports()
    monkeypatch.setattr(front.app.state, "resources", _with(front, tracker))
    front.app.add_api_route("/failing/{token}", fail)
    with capture_logs() as logged:
        await front.http.get(f"/failing/{CANARY}")

    (report,) = tracker.reports
    assert report.place == "GET /failing/{token}"
    assert CANARY not in str(report)
    (line,) = [one for one in logged if one["event"] == "request"]
    assert line["path"] == "/failing/…"


async def test_ids_and_providers_are_shown(front: LiveEngine) -> None:
    with capture_logs() as logged:
        await front.http.get("/api/dashboard/runs/01J0")
        await front.http.post(f"/api/webhooks/zendesk/{CANARY}")
        await front.http.get(f"/app/rating/{CANARY}")

    assert [one["path"] for one in logged if one["event"] == "request"] == [
        "/api/dashboard/runs/01J0",
        "/api/webhooks/zendesk/…",
        "/app/…",
    ]


def _with(front: LiveEngine, tracker: Reports) -> object:
    return dataclasses.replace(front.app.state.resources, tracker=tracker)

"""Metrics and reports for a request."""

import asyncio
from typing import Final

import pytest
from starlette.exceptions import HTTPException
from structlog.testing import capture_logs

from store.core.tables import error_reports
from tests.support.core.engine import GATEWAY, LiveEngine, live_engine
from tests.support.core.rows import rows
from tests.support.core.waiting import eventually
from tests.support.tenants.shop import ORDER_QUESTION, Shop

# The response body for a route that fails with this status.
ANSWERED: Final = {
    400: (400, "invalid_request"),
    404: (404, "route_not_found"),
    405: (405, "method_not_allowed"),
    413: (413, "body_too_large"),
    418: (400, "invalid_request"),
    503: (500, "internal_error"),
}


async def number(engine: LiveEngine, name: str, **labels: str) -> float:
    """Return the value of a metric, zero if it has none. Runs in a thread, because some metrics
    query the event loop."""
    registry = engine.app.state.resources.metrics.registry
    return await asyncio.to_thread(registry.get_sample_value, name, labels) or 0


@pytest.mark.own_database
async def test_anticipated_5xx_is_reported_once(database_url: str, shop: Shop) -> None:
    """Temporal is unavailable: the event is stored, and the caller and the operators are
    informed."""
    async with live_engine(database_url, "127.0.0.1:1", "default", lazy=True) as engine:
        answer = await engine.post(shop, message=ORDER_QUESTION)
        assert answer.json()["code"] == "answer_delayed"

        async def stored() -> bool:
            return bool(await rows(engine.database, error_reports))

        await eventually(stored)
        (report,) = await rows(engine.database, error_reports)
        assert (report["place"], report["code"]) == (f"POST {GATEWAY}", "answer_delayed")
        assert report["request_id"] == answer.headers["x-request-id"]
        assert report["client_id"] == shop.client_id
        assert report["event_id"] == answer.json()["event_id"]
        assert [one["type"] for one in report["exception"]][:2] == [
            "AnswerDelayed",
            "EngineUnavailable",
        ]
        assert await number(engine, "engine_error_reports_total", code="answer_delayed") == 1


@pytest.mark.own_database
async def test_refusals_are_counted_and_not_reported(front: LiveEngine) -> None:
    """This includes the framework's own errors, which use texts from our table."""
    assert (await front.http.post(GATEWAY, json={})).status_code == 401
    assert (await front.http.get(GATEWAY)).status_code == 405

    assert await number(front, "engine_refusals_total", code="unauthenticated") == 1
    assert await number(front, "engine_refusals_total", code="method_not_allowed") == 1
    assert await number(front, "engine_error_reports_total", code="unauthenticated") == 0
    assert await rows(front.database, error_reports) == []

    async def fail(raised: int) -> None:
        raise HTTPException(raised)

    front.app.add_api_route("/raising/{raised}", fail)
    for raised, (status, code) in ANSWERED.items():
        counted = "engine_error_reports_total" if status == 500 else "engine_refusals_total"
        before = await number(front, counted, code=code)

        answer = await front.http.get(f"/raising/{raised}")

        assert (answer.status_code, answer.json()["code"]) == (status, code), raised
        assert await number(front, counted, code=code) == before + 1, raised
    for status, code in ANSWERED.values():
        other = "engine_refusals_total" if status == 500 else "engine_error_reports_total"
        assert await number(front, other, code=code) == 0, code


async def test_labels_do_not_grow_with_what_callers_send(front: LiveEngine) -> None:
    labels = {"method": "other", "route": "unmatched", "status": "404"}
    before = await number(front, "engine_http_requests_total", **labels)

    for path in ("/ibis-1", "/ibis-2"):
        assert (await front.http.request("BREW", path)).status_code == 404

    assert await number(front, "engine_http_requests_total", **labels) == before + 2


async def test_outcomes_are_counted(engine: LiveEngine, shop: Shop) -> None:
    statuses = ("completed", "dry_run")
    before = [await number(engine, "engine_gateway_outcomes_total", status=it) for it in statuses]

    await engine.post(shop, message=ORDER_QUESTION)
    await engine.post(shop, message=ORDER_QUESTION, is_test=True)

    after = [await number(engine, "engine_gateway_outcomes_total", status=it) for it in statuses]
    assert after == [one + 1 for one in before]
    assert await number(engine, "engine_http_requests_in_flight") == 0


@pytest.mark.parametrize("asked", ["lines=1-2", "bytes=9-1", "bytes=99999999-", "bytes=0-1", "x"])
async def test_files_of_the_documents_are_whole(front: LiveEngine, asked: str) -> None:
    path = "/static-offline-docs/favicon.png"

    whole, answer = [
        await front.http.get(path, headers=headers) for headers in ({}, {"range": asked})
    ]

    assert (answer.status_code, answer.content) == (200, whole.content)


async def test_long_path_is_cut_in_the_log(front: LiveEngine) -> None:
    with capture_logs() as logged:
        await front.http.get("/api/dashboard/runs/" + "a" * 8_000)

    (line,) = [it for it in logged if it["event"] == "request"]
    assert len(line["path"]) == 256

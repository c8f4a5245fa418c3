"""Every 5xx response reaches the error tracker: none is lost afterwards."""

from collections import Counter
from pathlib import Path

import httpx
import pytest
from starlette.types import Message, Receive, Scope, Send

from tests.support.core.engine import GATEWAY, LiveEngine, database_away, live_engine
from tests.support.core.waiting import eventually
from tests.support.servers.sentry import SentryServer, sentry_server
from tests.support.tenants.shop import ORDER_QUESTION, Shop, open_shop


def numbers(sentry: SentryServer) -> Counter[tuple[str, str | None]]:
    """Return the number of errors in Sentry by code and client; Sentry stores one event per id."""
    found: Counter[tuple[str, str | None]] = Counter()
    for event in {one["event_id"]: one for one in sentry.events}.values():
        tags = event["tags"]
        found[tags["code"], tags.get("client_id")] += int(tags["occurrences"])
    return found


@pytest.mark.own_database
async def test_ten_failures_within_a_second_are_ten_at_the_tracker(
    database_url: str, shop: Shop, tmp_path: Path
) -> None:
    """Attack: earlier, ten 5xx responses produced two reports."""
    with sentry_server() as sentry:
        async with live_engine(
            database_url, "127.0.0.1:1", "default", lazy=True,
            sentry_dsn=sentry.dsn, error_spool=str(tmp_path),
        ) as engine:  # fmt: skip
            other = await open_shop(engine.database)
            for one in (shop, shop, shop, other) * 2 + (shop, other):
                answer = await engine.post(one, message=ORDER_QUESTION)
                assert answer.status_code == 500

        assert numbers(sentry) == {
            ("answer_delayed", shop.client_id): 7,
            ("answer_delayed", other.client_id): 3,
        }


async def test_a_failure_is_in_the_spool_before_its_answer(front: LiveEngine, shop: Shop) -> None:
    """A crash directly after the response does not lose a report."""
    spool = front.settings.watch.error_spool
    at_answer: list[bool] = []

    def is_spooled(request_id: str) -> bool:
        return any(request_id in file.read_text() for file in spool.glob("*/*.report"))

    async def watched(scope: Scope, receive: Receive, send: Send) -> None:
        async def seen(message: Message) -> None:
            if message["type"] == "http.response.start":
                (request_id,) = (
                    value for name, value in message["headers"] if name == b"x-request-id"
                )
                at_answer.append(is_spooled(request_id.decode()))
            await send(message)

        await front.app(scope, receive, seen)

    transport = httpx.ASGITransport(watched)
    with database_away(front.app.state.resources.database):
        async with httpx.AsyncClient(transport=transport, base_url="http://engine") as http:
            answer = await http.post(
                GATEWAY, json={"client_id": shop.client_id}, headers=shop.headers
            )
    assert answer.status_code == 500
    assert at_answer == [True]


async def test_an_answer_that_was_asked_for_is_no_failure(front: LiveEngine) -> None:
    """`/readyz` reports a missing worker, which is not an error."""
    before = await _reported(front)
    await eventually(lambda: _not_ready(front))
    assert await _reported(front) == before


async def _not_ready(front: LiveEngine) -> bool:
    return (await front.http.get("/readyz")).status_code == 503


async def _reported(front: LiveEngine) -> float:
    registry = front.app.state.resources.metrics.registry
    return sum(
        float(sample.value)
        for metric in registry.collect()
        if metric.name == "engine_error_reports"
        for sample in metric.samples
        if sample.name.endswith("_total")
    )

"""One trace from the request to its webhook, over three processes."""

import json
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

import httpx
import pytest

from domain.core import names
from embedded.ports import free_port
from tests.support.core.engine import GATEWAY, LiveEngine
from tests.support.core.processes import Process, has_ended, process
from tests.support.core.waiting import eventually
from tests.support.servers.otlp import Collector, SentSpan, otlp_collector
from tests.support.servers.webhook_receiver import webhook_receiver
from tests.support.tenants.shop import ORDER_QUESTION, Shop
from tests.support.webhooks.webhook_engine import subscribed

BODY = "Merci, Ibiscanari"
MAIL = "camille.durand@ibis.example"
QUERY = "hunter2-in-the-query"
STRANGERS = "0af7651916cd43dd8448eb211c80319c"


@asynccontextmanager
async def serving(
    engine: LiveEngine, folder: Path, collector: Collector
) -> AsyncIterator[tuple[Process, httpx.AsyncClient]]:
    port = free_port()
    with process(
        "api", "cli.py", "serve", "--port", str(port),
        settings=engine.settings, folder=folder, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url,
        OTEL_BSP_SCHEDULE_DELAY="200",
    ) as api:  # fmt: skip
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=40) as http:
            await eventually(lambda: _ready(http))
            yield api, http


@pytest.mark.slow
async def test_one_trace_from_the_request_to_the_webhook(
    idle_engine: LiveEngine, shop: Shop, tmp_path: Path
) -> None:
    with otlp_collector() as collector, webhook_receiver() as receiver, ExitStack() as held:
        await subscribed(idle_engine, shop, receiver, events=("ticket.resolved",))
        for queue in ("engine", "webhooks"):
            held.enter_context(
                process(
                    queue, "worker.py", "--queue", queue,
                    settings=idle_engine.settings, folder=tmp_path, WORKFLOW_SANDBOX="true",
                    OTEL_EXPORTER_OTLP_ENDPOINT=collector.url,
                    WEBHOOK_ALLOW_PRIVATE_ADDRESSES="true",
                    WEBHOOK_CA_FILE=str(receiver.ca_file),
                )
            )  # fmt: skip
        async with serving(idle_engine, tmp_path, collector) as (_, http):
            answer = await http.post(
                f"{GATEWAY}?api_key={QUERY}",
                headers={**shop.headers, "traceparent": f"00-{STRANGERS}-b7ad6b7169203331-01"},
                json={
                    "client_id": shop.client_id,
                    "customer_email": MAIL,
                    "message": f"{ORDER_QUESTION} {BODY}",
                },
            )
            assert answer.json()["status"] == "completed", answer.text
            [sent] = await receiver.received(1)
        # Each process ends here, and exports its remaining spans.
        held.close()
        spans, raw = collector.spans, b"".join(collector.raw)

    event_id = answer.json()["event_id"]
    request = next(span for span in spans if span.name == f"POST {GATEWAY}")
    assert request.attributes == {
        "http.request.method": "POST",
        "http.route": GATEWAY,
        "http.response.status_code": 200,
        "request_id": answer.headers["x-request-id"],
        "client_id": shop.client_id,
        "event_id": event_id,
    }
    trace = {span.id: span for span in spans if span.trace == request.trace}
    assert request.trace != STRANGERS
    assert request.parent == ""
    assert all(span.parent in trace for span in trace.values() if span is not request)
    assert _places(trace.values()) >= {
        ("support-engine-api", f"POST {GATEWAY}"),
        ("support-engine-engine", "RunWorkflow:ProcessEvent"),
        ("support-engine-engine", "RunActivity:event.normalize"),
        ("support-engine-engine", "RunActivity:event.brain"),
        ("support-engine-engine", "RunActivity:event.persist"),
        ("support-engine-webhooks", "RunWorkflow:DeliverWebhook"),
        ("support-engine-webhooks", f"RunActivity:{names.DELIVER}"),
    }
    run = next(span for span in trace.values() if span.name == "RunWorkflow:ProcessEvent")
    assert run.attributes["temporalWorkflowID"] == names.process_event_id(shop.client_id, event_id)
    assert "traceparent" not in sent.headers
    for canary in (BODY, MAIL, QUERY, ORDER_QUESTION, shop.key):
        assert canary.encode() not in raw
        assert json.dumps(canary)[1:-1].encode() not in raw


@pytest.mark.slow
async def test_a_silent_collector_delays_nobody(idle_engine: LiveEngine, tmp_path: Path) -> None:
    with otlp_collector() as collector:
        collector.silent = True
        async with serving(idle_engine, tmp_path, collector) as (api, http):
            await http.get("/api/nothing")
            await eventually(lambda: _asked(collector))
            started = time.monotonic()
            for _ in range(20):
                assert (await http.get("/api/nothing")).status_code == 404
            answered_in = time.monotonic() - started
            asked = time.monotonic()
            api.terminate()
            await eventually(lambda: has_ended(api))
            ended_in = time.monotonic() - asked

    assert answered_in < 1.5
    assert ended_in < 6
    assert api.exit_code == 0


def _places(spans: Iterable[SentSpan]) -> set[tuple[str, str]]:
    return {(span.process, span.name) for span in spans}


async def _asked(collector: Collector) -> bool:
    return collector.asked.is_set()


async def _ready(http: httpx.AsyncClient) -> bool:
    try:
        return (await http.get("/healthz")).status_code == 200
    except httpx.TransportError:
        return False

"""Processes that a webhook test starts and kills."""

import signal
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

import httpx
import pytest

from domain.core import names
from embedded.ports import free_port
from tests.support.core.engine import LiveEngine
from tests.support.core.processes import Process
from tests.support.core.waiting import eventually
from tests.support.servers.webhook_receiver import WebhookReceiver
from tests.support.tenants.shop import Shop
from tests.support.webhooks.webhook_engine import delivery_of, ended

Start = Callable[..., AbstractContextManager[Process]]


def engine_worker(start: Start, **env: str) -> AbstractContextManager[Process]:
    return start("engine", "worker.py", **env)


def webhook_worker(start: Start, name: str = "webhooks") -> AbstractContextManager[Process]:
    return start(name, "worker.py", "--queue", names.WEBHOOKS_QUEUE)


async def died(child: Process) -> None:
    async def ended_by_itself() -> bool:
        return child.exit_code is not None

    await eventually(ended_by_itself)
    assert child.exit_code == -signal.SIGKILL, child.log_tail()


async def each_once(
    engine: LiveEngine, shop: Shop, receiver: WebhookReceiver, deliveries: list[dict[str, Any]]
) -> None:
    """Check that all deliveries succeed, with one POST each."""
    for one in deliveries:
        record = await ended(engine, one["id"])
        assert (record["status"], record["attempt"]) == ("success", 1)
        await delivery_of(engine, shop, one["id"]).result()
    assert Counter(request.headers["x-service-delivery"] for request in receiver.seen) == Counter(
        one["id"] for one in deliveries
    )


async def dies_asked(
    start: Start, path: str, headers: dict[str, str], body: Mapping[str, object]
) -> None:
    """Start an API that ends before it sends what this request has committed."""
    port = free_port()
    with start(
        "api", "-m", "tests.support.webhooks.dying_sender", "serve", "--port", str(port)
    ) as api:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=headers) as http:
            await eventually(lambda: _serves(http))
            with pytest.raises(httpx.TransportError):
                await http.post(path, json=body)
        await died(api)


async def _serves(http: httpx.AsyncClient) -> bool:
    try:
        return (await http.get("/healthz")).status_code == 200
    except httpx.TransportError:
        return False

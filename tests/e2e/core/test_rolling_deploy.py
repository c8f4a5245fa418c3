"""Each process is replaced under load, one after another: every call is answered once."""

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

import httpx
import pytest

from embedded.ports import free_port
from store.billing.tables import usage_ledger
from store.runs.tables import engine_messages, engine_runs
from tests.support.core.engine import GATEWAY, LiveEngine
from tests.support.core.load import Load
from tests.support.core.processes import Process, has_ended, process
from tests.support.core.rows import rows
from tests.support.core.waiting import eventually
from tests.support.servers.balancer import Balancer, balancer
from tests.support.tenants.shop import Shop, open_shop

pytestmark = pytest.mark.slow

CALLERS: Final = 6
SHOPS: Final = 12
DRAIN_S: Final = "2"  # ten health checks of the balancer


class Installation:
    """Processes as if on several machines."""

    def __init__(self, engine: LiveEngine, front: Balancer, folder: Path, held: ExitStack) -> None:
        self._engine = engine
        self._front = front
        self._folder = folder
        self._held = held
        self._started = 0

    async def api(self) -> Process:
        """Start another API; return once the balancer uses it."""
        port = free_port()
        child = self._start("cli.py", "serve", "--port", str(port))
        self._front.servers.add(port)
        await eventually(partial(self._front.sends_to, port), 60)
        return child

    async def worker(self) -> Process:
        """Start another worker; return once it is running."""
        child = self._start("worker.py")
        await eventually(partial(_logged, child, "worker ready"), 60)
        return child

    def _start(self, *arguments: str) -> Process:
        self._started += 1
        return self._held.enter_context(
            process(
                f"process-{self._started}",
                *arguments,
                settings=self._engine.settings,
                folder=self._folder,
                DRAIN_S=DRAIN_S,
            )
        )


async def test_a_rolling_deploy_fails_no_call(idle_engine: LiveEngine, tmp_path: Path) -> None:
    shops = [await open_shop(idle_engine.database) for _ in range(SHOPS)]
    with ExitStack() as held:
        async with balancer() as front, httpx.AsyncClient(base_url=front.url, timeout=40) as http:
            site = Installation(idle_engine, front, tmp_path, held)
            workers = [await site.worker(), await site.worker()]
            apis = [await site.api(), await site.api()]
            load = Load(partial(_post, http), shops)
            async with load.running(CALLERS):
                for old, start in [
                    *((old, site.worker) for old in workers),
                    *((old, site.api) for old in apis),
                ]:
                    await load.answered(20)
                    await start()
                    old.terminate()
                    await eventually(partial(has_ended, old), 60)
                    assert old.exit_code == 0, old.log_tail()
                await load.answered(20)

    assert load.statuses() == {(200, "completed")}
    told = [answer.json()["event_id"] for answer in load.answers]
    runs = await rows(idle_engine.database, engine_runs)
    assert sorted(run["event_id"] for run in runs) == sorted(told)
    assert len(await rows(idle_engine.database, usage_ledger)) == len(told)
    messages = await rows(idle_engine.database, engine_messages)
    for direction in ("inbound", "outbound"):
        assert sum(each["direction"] == direction for each in messages) == len(told)


async def _post(http: httpx.AsyncClient, shop: Shop, **body: object) -> httpx.Response:
    return await http.post(
        GATEWAY, json={"client_id": shop.client_id, **body}, headers=shop.headers
    )


async def _logged(child: Process, event: str) -> bool:
    return event in child.log.read_text()

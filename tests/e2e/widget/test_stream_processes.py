"""A widget stream and its process: killed between two messages, and asked to stop."""

import asyncio
from pathlib import Path

import httpx
import pytest

from tests.support.core.engine import LiveEngine
from tests.support.core.processes import has_ended
from tests.support.core.serving import serving
from tests.support.core.waiting import eventually
from tests.support.tenants.shop import Shop
from tests.support.widget.page import page_of
from tests.support.widget.stream import streaming
from tests.support.widget.talk import answer, ask, begin

# A stream that stayed open during the drain would last this long.
DRAIN_S = 20


async def test_a_killed_process_loses_and_doubles_nothing_and_one_that_stops_ends_its_streams(
    idle_engine: LiveEngine, shop: Shop, tmp_path: Path
) -> None:
    database, page = idle_engine.database, await page_of(idle_engine, shop)
    session_id = await begin(database, shop)
    token = page.token(session_id)
    refs = [await ask(database, shop, session_id, f"q{turn}") for turn in range(2)]

    async with (
        serving(idle_engine, tmp_path) as (api, http),
        streaming(page, str(http.base_url), token) as before,
    ):
        await before.until(lambda it: it.numbers == [1, 2])
        await answer(database, shop, refs[0])
        await before.until(lambda it: it.numbers == [1, 2, 3])
        api.kill()
        with pytest.raises(httpx.TransportError):
            await before.to_its_end()
    await answer(database, shop, refs[1])  # no stream is open

    async with serving(idle_engine, tmp_path, DRAIN_S=str(DRAIN_S)) as (api, http):
        last = str(before.numbers[-1])
        async with streaming(page, str(http.base_url), token, last_event_id=last) as after:
            await after.until(lambda it: it.numbers == [4])
            await ask(database, shop, session_id, "q2")
            await after.until(lambda it: it.numbers == [4, 5])
            began = asyncio.get_running_loop().time()
            api.terminate()
            await after.to_its_end(DRAIN_S / 2)
        assert asyncio.get_running_loop().time() - began < DRAIN_S / 2
        # While the process drains, a new stream delivers the available messages and ends.
        async with streaming(page, str(http.base_url), token) as late:
            await late.to_its_end(DRAIN_S / 2)
        assert late.numbers == [1, 2, 3, 4, 5]
        api.terminate()
        await eventually(lambda: has_ended(api))

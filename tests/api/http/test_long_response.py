"""A streaming response: how it ends, and that its sources are always closed."""

import asyncio

import pytest

from api.gateway_traffic import GatewayTraffic
from api.http.long_response import DEFAULT_LIMITS, ExportResponse, ReaderLimits
from domain.exports.errors import ExportsBusy
from tests.support.core.readers import SCOPE, Reader, Source

SHORT_S = 0.2


def answer(source: Source, limits: ReaderLimits = DEFAULT_LIMITS) -> ExportResponse:
    return ExportResponse(source.pieces(), {"content-type": "a/b"}, GatewayTraffic(), limits)


async def test_all_pieces_and_an_end() -> None:
    source, reader = Source(3), Reader()

    await answer(source)(SCOPE, reader.receiving(), reader.send)

    assert reader.messages[0]["headers"] == [(b"content-type", b"a/b")]
    assert b"".join(message["body"] for message in reader.messages[1:]) == b"x" * 30
    assert reader.is_whole
    assert source.closed


async def test_a_heavy_piece_is_sent_in_parts() -> None:
    source, reader = Source(2, size=1_000_000), Reader()

    await answer(source)(SCOPE, reader.receiving(), reader.send)

    bodies = [message["body"] for message in reader.messages[1:]]
    assert sum(map(len, bodies)) == 2_000_000
    assert max(map(len, bodies)) == 64 * 1024


async def test_error_before_the_first_piece_can_be_answered() -> None:
    source, reader = Source(0, ExportsBusy()), Reader()

    with pytest.raises(ExportsBusy):
        await answer(source)(SCOPE, reader.receiving(), reader.send)

    assert reader.messages == []


async def test_error_later_leaves_no_end() -> None:
    source, reader = Source(3, ValueError("late")), Reader()

    with pytest.raises(ValueError, match="late"):
        await answer(source)(SCOPE, reader.receiving(), reader.send)

    assert len(reader.messages) == 4
    assert not reader.is_whole
    assert source.closed


@pytest.mark.parametrize(
    "limits", [ReaderLimits(stalled_s=SHORT_S), ReaderLimits(total_s=SHORT_S)], ids=str
)
async def test_reader_that_stalls(limits: ReaderLimits) -> None:
    source, reader = Source(1000), Reader(takes=5)

    async with asyncio.timeout(10):
        await answer(source, limits)(SCOPE, reader.receiving(), reader.send)

    assert reader.stalled.is_set()
    assert source.given == 6  # it reads at most one item ahead
    assert not reader.is_whole
    assert source.closed


@pytest.mark.parametrize("takes", [0, 1, 5])
async def test_reader_that_leaves(takes: int) -> None:
    source, reader = Source(1000), Reader(takes=takes)
    writing = asyncio.create_task(answer(source)(SCOPE, reader.receiving(), reader.send))
    await reader.stalled.wait()

    reader.gone.set()

    async with asyncio.timeout(10):
        await writing
    assert not reader.is_whole
    assert source.closed


async def test_server_that_stops() -> None:
    source, reader = Source(1000), Reader(takes=5)
    writing = asyncio.create_task(answer(source)(SCOPE, reader.receiving(), reader.send))
    await reader.stalled.wait()

    writing.cancel()

    with pytest.raises(asyncio.CancelledError):
        await writing
    assert source.closed


async def test_it_gives_way_to_the_gateway_only() -> None:
    traffic = GatewayTraffic()
    loop = asyncio.get_running_loop()
    worked_s = 0.1

    async def rested() -> float:
        started = loop.time()
        await traffic.give_way(worked_s)
        return loop.time() - started

    with traffic.event():
        with traffic.event():
            pass
        busy = await rested()
    idle = asyncio.create_task(rested())
    await asyncio.sleep(0)

    assert busy >= 2.9 * worked_s
    assert idle.done()  # without waiting

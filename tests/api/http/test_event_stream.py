"""Server-sent events: the stream ends when its reader disconnects or stalls, and is always
closed."""

import asyncio

import pytest

from api.http.event_stream import EventStream
from domain.core.errors import CallerBusy
from tests.support.core.readers import SCOPE, Reader, Source

SHORT_S = 0.2


async def test_a_stream_ends_with_its_pieces() -> None:
    source, reader = Source(3), Reader()

    await EventStream(source.pieces())(SCOPE, reader.receiving(), reader.send)

    assert (b"content-type", b"text/event-stream; charset=utf-8") in reader.messages[0]["headers"]
    assert b"".join(message["body"] for message in reader.messages[1:]) == b"x" * 30
    assert reader.is_whole
    assert source.closed


async def test_an_error_before_it_begins_can_be_answered() -> None:
    source, reader = Source(0, CallerBusy()), Reader()

    with pytest.raises(CallerBusy):
        await EventStream(source.pieces())(SCOPE, reader.receiving(), reader.send)

    assert reader.messages == []


@pytest.mark.parametrize("takes", [0, 1, 5])
async def test_a_slow_reader_is_cut_off(takes: int) -> None:
    source, reader = Source(1000), Reader(takes=takes)

    async with asyncio.timeout(10):
        await EventStream(source.pieces(), stalled_s=SHORT_S)(
            SCOPE, reader.receiving(), reader.send
        )

    assert reader.stalled.is_set()
    assert not reader.is_whole
    assert source.given == max(1, takes)  # nothing is read ahead
    assert source.closed


@pytest.mark.parametrize("takes", [0, 1, 5])
async def test_a_reader_that_leaves_ends_it(takes: int) -> None:
    source, reader = Source(1000), Reader(takes=takes)
    streaming = asyncio.create_task(
        EventStream(source.pieces())(SCOPE, reader.receiving(), reader.send)
    )
    await reader.stalled.wait()

    reader.gone.set()

    async with asyncio.timeout(1):
        await streaming
    assert not reader.is_whole
    assert source.closed

"""The copilot's event stream, if deltas are produced faster than they are read."""

from starlette.requests import Request

from api.copilot_events import copilot_events
from domain.copilot.answer import CopilotAnswer
from domain.copilot.ports import Say

_REQUEST = Request({"type": "http", "method": "POST", "path": "/", "headers": []})


async def test_no_piece_is_lost_where_the_reader_is_slow() -> None:
    pieces = [f"{number} " for number in range(64)]

    async def ask(say: Say) -> CopilotAnswer:
        for piece in pieces:
            await say(piece)
        return CopilotAnswer(text="".join(pieces), model="m")

    events = [one.decode() async for one in copilot_events(ask, _REQUEST, "id")]

    deltas = [one for one in events if one.startswith("event: delta")]
    assert len(deltas) == len(pieces)
    assert '"0 "' in deltas[0]
    assert events[-1].startswith("event: done")

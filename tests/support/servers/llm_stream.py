"""A model's streamed answer: text deltas, or tool calls."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

_PIECE: Final = 7


@dataclass(frozen=True)
class Call:
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Calls:
    """A round of tool calls. `text` is the text before them."""

    calls: tuple[Call, ...]
    text: str = ""


def completion_events(model: str, said: Calls, tokens: tuple[int, int]) -> Iterator[bytes]:
    """Return the events in the format of OpenAI's chat completions."""

    def chunk(delta: dict[str, Any], reason: str | None = None, **more: Any) -> bytes:
        choices = [{"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}]
        return _data(
            {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000,
             "model": model, "choices": choices} | more
        )  # fmt: skip

    yield chunk({"role": "assistant", "content": ""})
    for piece in pieces(said.text):
        yield chunk({"content": piece})
    for number, call in enumerate(said.calls):
        function = {"name": call.name, "arguments": json.dumps(call.arguments)}
        one = {"index": number, "id": f"call_{number}", "type": "function", "function": function}
        yield chunk({"tool_calls": [one]})
    yield chunk({}, "tool_calls" if said.calls else "stop")
    tokens_in, tokens_out = tokens
    usage = {
        "prompt_tokens": tokens_in,
        "completion_tokens": tokens_out,
        "total_tokens": tokens_in + tokens_out,
    }
    yield chunk({}, choices=[], usage=usage)
    yield b"data: [DONE]\n\n"


def message_events(model: str, said: Calls, tokens: tuple[int, int]) -> Iterator[bytes]:
    """Return the events in the format of Anthropic's messages."""
    tokens_in, tokens_out = tokens
    start: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": tokens_in, "output_tokens": 1},
    }
    yield _event("message_start", message=start)
    place = 0
    if said.text:
        yield _event("content_block_start", index=0, content_block={"type": "text", "text": ""})
        for piece in pieces(said.text):
            delta = {"type": "text_delta", "text": piece}
            yield _event("content_block_delta", index=0, delta=delta)
        yield _event("content_block_stop", index=0)
        place = 1
    for number, call in enumerate(said.calls, place):
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": call.name, "input": {}}
        yield _event("content_block_start", index=number, content_block=block)
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}
        yield _event("content_block_delta", index=number, delta=delta)
        yield _event("content_block_stop", index=number)
    reason = "tool_use" if said.calls else "end_turn"
    yield _event(
        "message_delta",
        delta={"stop_reason": reason, "stop_sequence": None},
        usage={"output_tokens": tokens_out},
    )
    yield _event("message_stop")


def pieces(text: str) -> Iterator[str]:
    return (text[at : at + _PIECE] for at in range(0, len(text), _PIECE))


def _event(name: str, **data: Any) -> bytes:
    return f"event: {name}\n".encode() + _data({"type": name, **data})


def _data(data: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(data)}\n\n".encode()

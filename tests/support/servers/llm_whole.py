"""A model's complete answer in the providers' formats."""

import json
from collections.abc import Sequence
from typing import Any

from tests.support.servers.llm_stream import Call

Said = dict[str, Any] | str


def whole_completion(
    model: str,
    answer: Said,
    refusal: str | None,
    tokens: tuple[int, int],
    tool: str | None = None,
    calls: Sequence[Call] = (),
) -> dict[str, Any]:
    """Return the answer in the format of OpenAI's chat completions. `tool` is the tool of a
    structured answer, if any. `calls` are calls of tools, in place of an answer."""
    message: dict[str, Any] = {"role": "assistant", "content": None, "refusal": refusal}
    reason = "stop"
    if refusal is None and tool is not None and isinstance(answer, dict):
        function = {"name": tool, "arguments": json.dumps(answer)}
        message["tool_calls"] = [{"id": "call00001", "type": "function", "function": function}]
        reason = "tool_calls"
    elif calls:
        message["tool_calls"] = [
            {
                "id": f"call0000{number}",
                "type": "function",
                "function": {"name": one.name, "arguments": json.dumps(one.arguments)},
            }
            for number, one in enumerate(calls)
        ]
        reason = "tool_calls"
    elif refusal is None:
        message["content"] = answer if isinstance(answer, str) else json.dumps(answer)
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": model,
        "choices": [{"index": 0, "finish_reason": reason, "message": message, "logprobs": None}],
        "usage": {
            "prompt_tokens": tokens[0],
            "completion_tokens": tokens[1],
            "total_tokens": sum(tokens),
        },
    }


def whole_message(
    model: str,
    answer: Said,
    tool: str | None,
    tokens: tuple[int, int],
    *,
    is_refused: bool,
    calls: Sequence[Call] = (),
) -> dict[str, Any]:
    """Return the answer in the format of Anthropic's messages. `tool` is the tool of a structured
    answer, if any. `calls` are calls of tools, in place of an answer."""
    content: list[dict[str, Any]] = []
    stop = "refusal" if is_refused else "end_turn"
    if not is_refused and tool is not None and isinstance(answer, dict):
        content = [{"type": "tool_use", "id": "toolu_1", "name": tool, "input": answer}]
        stop = "tool_use"
    elif calls:
        content = [
            {"type": "tool_use", "id": f"toolu_{number}", "name": one.name, "input": one.arguments}
            for number, one in enumerate(calls)
        ]
        stop = "tool_use"
    elif not is_refused:
        text = answer if isinstance(answer, str) else json.dumps(answer)
        content = [{"type": "text", "text": text}]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": tokens[0], "output_tokens": tokens[1]},
    }

"""Google's Gemini API: the requests it accepts, and its answers, errors and streams."""

import base64
import json
from collections.abc import Iterator
from typing import Any, Final

from tests.support.servers.llm_images import Image
from tests.support.servers.llm_stream import Calls, pieces
from tests.support.servers.llm_whole import Said

# The canonical code of each HTTP status (google.rpc.Code).
_CODES: Final = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
}


def is_google(path: str) -> bool:
    return path.startswith("/google/v1beta/models/")


def model_of(path: str) -> str:
    return path.removeprefix("/google/v1beta/models/").partition(":")[0]


def instructions_of(body: dict[str, Any]) -> str:
    return "".join(part["text"] for part in body["systemInstruction"]["parts"])


def images_of_google(body: dict[str, Any]) -> list[Image]:
    parts = [part for content in body.get("contents", []) for part in content["parts"]]
    return [
        (data["mimeType"], base64.urlsafe_b64decode(data["data"]))
        for part in parts
        if (data := part.get("inlineData")) is not None
    ]


def google_problem(path: str, body: dict[str, Any]) -> str | None:
    """Return why the API would reject the body, or None."""
    config = body.get("generationConfig", {})
    has_schema = config.get("responseMimeType") == "application/json" and (
        "responseSchema" in config or "responseJsonSchema" in config
    )
    known = path.endswith((":generateContent", ":streamGenerateContent")) and body.get("contents")
    return None if known and (has_schema or body.get("tools")) else "invalid request"


def whole_content(
    model: str, answer: Said, tokens: tuple[int, int], *, reason: str = "STOP"
) -> dict[str, Any]:
    """Return the answer as a GenerateContentResponse. With `reason` SAFETY, it has no content."""
    text = answer if isinstance(answer, str) else json.dumps(answer)
    candidate: dict[str, Any] = {"index": 0, "finishReason": reason}
    if reason != "SAFETY":
        candidate["content"] = {"role": "model", "parts": [{"text": text}]}
    return {
        "candidates": [candidate],
        "usageMetadata": {
            "promptTokenCount": tokens[0],
            "candidatesTokenCount": tokens[1],
            "totalTokenCount": sum(tokens),
        },
        "modelVersion": model,
        "responseId": "response-1",
    }


def content_events(model: str, said: Calls, tokens: tuple[int, int]) -> Iterator[bytes]:
    """Return the events of a stream, which are GenerateContentResponse objects."""
    parts: list[dict[str, Any]] = [{"text": one} for one in pieces(said.text)]
    parts += [{"functionCall": {"name": one.name, "args": one.arguments}} for one in said.calls]
    for number, part in enumerate(parts, 1):
        body = whole_content(model, "", tokens)
        body["candidates"][0]["content"]["parts"] = [part]
        if number < len(parts):
            del body["candidates"][0]["finishReason"], body["usageMetadata"]
        yield f"data: {json.dumps(body)}\r\n\r\n".encode()


def google_error(status: int, message: str, delay: str | None, code: str | None) -> dict[str, Any]:
    """Return an error. `delay` is the time to wait in seconds, which Google sends in the body."""
    details: list[dict[str, Any]] = []
    if delay is not None:
        kind = "type.googleapis.com/google.rpc.RetryInfo"
        details.append({"@type": kind, "retryDelay": f"{delay}s"})
    if code is not None:
        kind = "type.googleapis.com/google.rpc.ErrorInfo"
        details.append({"@type": kind, "reason": code, "domain": "googleapis.com"})
    known = _CODES.get(status, "INTERNAL")
    return {"error": {"code": status, "message": message, "status": known, "details": details}}

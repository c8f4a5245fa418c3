"""Questions to the copilot over HTTP."""

import json
from typing import Any, Final

import httpx

from tests.support.core.engine import LiveEngine
from tests.support.tenants.shop import Shop

CHAT: Final = "/api/copilot/chat"


def body(shop: Shop, *questions: str, **more: object) -> dict[str, Any]:
    """Return a request body. `questions` are the user's questions. The assistant's answers are
    between them."""
    messages: list[dict[str, str]] = []
    for question in questions:
        if messages:
            messages.append({"role": "assistant", "content": "…ok"})
        messages.append({"role": "user", "content": question})
    return {"client_id": shop.client_id, "messages": messages, **more}


async def ask(
    front: LiveEngine, shop: Shop, headers: dict[str, str], *questions: str
) -> dict[str, Any]:
    """Ask a question, and return the answer, after checking its status."""
    answer = await front.http.post(CHAT, json=body(shop, *questions), headers=headers)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def events_of(answer: httpx.Response) -> list[tuple[str, dict[str, Any]]]:
    """Return a stream's events with their data."""
    found = []
    for block in answer.text.strip().split("\n\n"):
        name, data = block.split("\n", 1)
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found

"""POST a webhook to a developer's own machine. Unlike the sender of deliveries, it may call any
address, because the address comes from the person who runs the command."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

import httpx

TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class Forwarded:
    """The response of the local server. `status`: None if there was none, with `error`."""

    status: int | None
    took_ms: float
    error: str = ""

    @property
    def is_accepted(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


async def forward(
    client: httpx.AsyncClient, url: str, headers: Mapping[str, str], body: bytes
) -> Forwarded:
    """POST the body and return the outcome, without following redirects. Never raises for an
    unresponsive server."""
    began = time.perf_counter()
    try:
        answer = await client.post(url, content=body, headers=dict(headers), timeout=TIMEOUT_S)
    except httpx.HTTPError as error:
        return Forwarded(None, _ms_since(began), type(error).__name__)
    return Forwarded(answer.status_code, _ms_since(began))


def _ms_since(began: float) -> float:
    return (time.perf_counter() - began) * 1000

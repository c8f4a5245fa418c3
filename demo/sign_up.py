"""A sign-up and a first ticket over HTTP, with the calls that a merchant's program would make."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx
from pydantic import JsonValue

from adapters.system import new_ulid
from demo.mails import code_to

BRAND: Final = "Atelier Camille"
_KNOWLEDGE: Final = {
    "title": "Prix de la livraison express",
    "body": "La livraison express coûte 9,90 € et arrive le jour ouvré suivant.",
    "language": "fr",
}


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """The result of a sign-up with a first ticket. `calls` are the API calls in order. `seconds` is
    the time to the answer, including the email's delivery."""

    address: str
    client_id: str
    key: str
    calls: tuple[str, ...]
    seconds: float
    answer: Mapping[str, JsonValue]


class SignUp:
    """A sign-up over HTTP. It reads the code from the email, not from the database."""

    def __init__(self, api_url: str, mails: Path) -> None:
        self._api_url = api_url
        self._mails = mails
        self._calls: list[str] = []

    async def first_answer(self) -> FirstAnswer:
        """Sign up, send a first ticket, and return its answer. Raises httpx.HTTPStatusError if the
        service rejects a request, and TimeoutError if no email arrives."""
        began = time.perf_counter()
        address = f"camille.{new_ulid().lower()}@atelier.example"
        async with httpx.AsyncClient(base_url=self._api_url, timeout=35, trust_env=False) as client:
            await self._post(client, "/api/auth/signup", {"email": address, "brand_name": BRAND})
            code = {"email": address, "code": await code_to(address, self._mails)}
            account = await self._post(client, "/api/auth/verify", code)
            client_id, token = str(account["client_id"]), str(account["token"])
            made = await self._post(client, "/api/dashboard/keys", {"label": "shop"}, token)
            await self._post(client, "/api/dashboard/knowledge", _KNOWLEDGE, token)
            ticket = {
                "client_id": client_id,
                "event_type": "widget.chat.message",
                "customer_email": "anne@example.com",
                "message": "Bonjour, combien coûte la livraison express ?",
            }
            key = str(made["text"])
            answer = await self._post(client, "/api/engine/gateway", ticket, key)
        seconds = time.perf_counter() - began
        return FirstAnswer(address, client_id, key, tuple(self._calls), seconds, answer)

    async def _post(
        self,
        client: httpx.AsyncClient,
        path: str,
        body: Mapping[str, str],
        token: str | None = None,
    ) -> Mapping[str, JsonValue]:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        answer = await client.post(path, json=body, headers=headers)
        self._calls.append(f"POST {path} → {answer.status_code}")
        answer.raise_for_status()
        answer_body: dict[str, JsonValue] = answer.json()
        return answer_body

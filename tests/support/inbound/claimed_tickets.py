"""A helpdesk ticket whose author typed an email address, for each provider."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from secrets import token_bytes, token_hex
from typing import Any

from pydantic import JsonValue

from adapters.seal import FernetSealer
from adapters.system import new_ulid, utc_now
from domain.inbound.endpoint import SECRET_BYTES, TOKEN_BYTES, WantedEndpoint
from domain.inbound.inbound_request import InboundRequest
from domain.integrations.integration import BASE_URL
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitOfWork
from services.inbound.endpoints import DrawnBytes, open_endpoint
from store.inbound.tables import inbound_webhooks
from store.runs.tables import engine_runs
from tests.support.agent.acting import connect
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.core.waiting import eventually
from tests.support.inbound.helpdesk_webhooks import (
    SECRET,
    conversation_part,
    form_request,
    helpdesk_form,
    intercom_request,
    notification,
    zendesk_request,
)
from tests.support.integrations.desks import Desk, desk_of
from tests.support.tenants.shop import Shop


@dataclass
class ClaimedTicket:
    """One ticket of a helpdesk. `says` sends the platform's webhook for a customer message."""

    engine: LiveEngine
    shop: Shop
    desk: Desk
    path: str
    secret: str
    ticket_id: str
    _sent: int = field(default=0)

    async def says(
        self,
        text: str,
        email: str | None,
        *,
        author: str = "lead-1",
        kind: str = "lead",
        ticket_id: str | None = None,
    ) -> dict[str, Any]:
        """Send a message, and return its run, once it has an outcome."""
        self._sent += 1
        name = token_hex(8)
        request = self._request(
            text, email, name, author=author, kind=kind, ticket_id=ticket_id or self.ticket_id
        )
        answer = await self.engine.http.post(
            self.path, content=request.body, headers=dict(request.headers)
        )
        assert answer.status_code == 200, answer.text
        event_id = await eventually(lambda: self._event(text))

        async def answered() -> dict[str, Any] | None:
            run = await only_row(self.engine.database, engine_runs, event_id=event_id)
            return None if run["status"] == "received" else run

        return await eventually(answered)

    async def _event(self, _: str) -> str | None:
        found = await rows(self.engine.database, inbound_webhooks, of=self.shop, state="done")
        if len(found) < self._sent:
            return None
        latest = max(found, key=lambda row: row["created_at"])
        assert latest["outcome"] == "event", latest
        return str(latest["event_id"])

    def _request(
        self, text: str, email: str | None, name: str, *, author: str, kind: str, ticket_id: str
    ) -> InboundRequest:
        if self.desk.integration.provider.value == "intercom":
            part = conversation_part(4412 + self._sent, text)
            part["author"] = {"type": kind, "id": author, "name": "x", "email": email}
            body = notification("conversation.user.replied", part)
            body["id"] = f"notif_{name}"
            item = body["data"]["item"]  # type: ignore[call-overload,index]
            item["id"] = ticket_id  # type: ignore[index,call-overload]
            return intercom_request(body, self.secret)
        form: dict[str, JsonValue] = helpdesk_form(
            ticket_id=ticket_id,
            message=text,
            message_id=str(900 + self._sent),
            author_email=email,
            customer_email=email,
            updated_at=str(self._sent),
        )
        if self.desk.integration.provider.value == "zendesk":
            return zendesk_request(form, at=utc_now(), invocation=name)
        return form_request(form, self.secret)


@contextmanager
def desk_server(name: str) -> Iterator[Desk]:
    with desk_of(name) as desk:
        yield desk


async def claimed_ticket(engine: LiveEngine, shop: Shop, desk: Desk) -> ClaimedTicket:
    """Connect the helpdesk to the client, open its address, and return an open ticket."""
    provider = desk.integration.provider
    settings = {**desk.integration.settings, BASE_URL: desk.server.url}
    integration_id = await connect(engine, shop, provider, settings, json.dumps(desk.credentials))
    sealer = FernetSealer(engine.settings.seal.key.get_secret_value())
    given = SECRET if provider.value in ("zendesk", "intercom") else None
    async with engine.database.tenant(shop.tenant) as connection:
        opened = await open_endpoint(
            UnitOfWork(connection, shop.tenant, utc_now(), new_ulid),
            Actor.operator("test"),
            integration_id,
            WantedEndpoint(secret=given),
            DrawnBytes(token_bytes(TOKEN_BYTES), token_bytes(SECRET_BYTES)),
            sealer=sealer,
        )
    path = f"/api/webhooks/{provider.value}/{opened.token}"
    return ClaimedTicket(
        engine, shop, desk, path, opened.secret or SECRET, ticket_id=desk.ticket.id
    )

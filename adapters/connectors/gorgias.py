"""Gorgias: messages and tags on the tickets in a merchant's account.

Gorgias does not deduplicate requests. Each message carries its idempotency key as `external_id`, by
which a retry finds an earlier attempt.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Self

import httpx
from pydantic import BaseModel, JsonValue, RootModel

from adapters.connectors.helpdesk import (
    HelpdeskAccount,
    basic,
    check_requester,
    html_body,
    plain_body,
    tagging,
    ticket_id,
    uploading,
    writing,
)
from adapters.connectors.http import ConnectorCall, Rows
from domain.core.attached_file import AttachedFile
from domain.integrations.errors import ActionRefused, ActionUnknown
from domain.integrations.integration import Integration
from domain.integrations.ports import HelpdeskTicket

# Pages are small because each message contains its body twice and the response size is limited
# (`http.MAX_BODY`).
_MESSAGES_A_PAGE: Final = 25
_MAX_PAGES: Final = 8


class _Message(BaseModel):
    id: int
    external_id: str | None = None


class _Meta(BaseModel):
    next_cursor: str | None = None


class _Messages(BaseModel):
    data: Rows[_Message]
    meta: _Meta = _Meta()


class _Customer(BaseModel):
    email: str | None = None


class _Ticket(BaseModel):
    customer: _Customer | None = None


class _Account(BaseModel):
    domain: str


class _Upload(BaseModel):
    url: str
    name: str
    size: int
    content_type: str


class _Uploads(RootModel[Rows[_Upload]]):
    pass


class _Nothing(BaseModel):
    """The response to adding tags. None of its fields is used."""


class Gorgias:
    """A Gorgias account, as domain.integrations.ports.Helpdesk. Gorgias sends accepted replies to
    customers later."""

    def __init__(self, account: HelpdeskAccount, agent_email: str, support_email: str) -> None:
        self._account = account
        self._agent_email = agent_email
        self._support_email = support_email

    @classmethod
    def of(
        cls, integration: Integration, credentials: Mapping[str, str], http: httpx.AsyncClient
    ) -> Self:
        """Return the connector for an integration. The integration's settings and credentials must
        be complete (`check_settings`, `check_credentials`)."""
        settings = integration.settings
        base_url = integration.base_url(f"https://{settings['domain']}.gorgias.com")
        agent = credentials["email"]
        return cls(
            HelpdeskAccount(http, base_url, basic(agent, credentials["api_key"])),
            agent,
            settings["email"],
        )

    async def reply(
        self,
        ticket: HelpdeskTicket,
        text: str,
        key: str,
        *,
        again: bool,
        bare: str = "",  # noqa: ARG002 - found by the key
        files: Sequence[AttachedFile] = (),
    ) -> str:
        """Email the customer within the ticket, and return the message's id. Raises ActionRefused
        if the customer's address is unknown, or if the ticket belongs to another customer."""
        if not ticket.customer_email:
            raise ActionRefused("the customer's address is unknown", sent=False)
        message: dict[str, JsonValue] = {
            "channel": "email",
            "receiver": {"email": ticket.customer_email},
            "source": {
                "type": "email",
                "from": {"address": self._support_email},
                "to": [{"address": ticket.customer_email}],
            },
        }
        if ticket.subject:
            message["subject"] = plain_body(ticket.subject)
        meant = ticket.customer_email
        return await self._write(ticket, message, text, key, again=again, meant=meant, files=files)

    async def note(self, ticket: HelpdeskTicket, text: str, key: str, *, again: bool) -> str:
        """Add an internal note to the ticket, and return the note's id. Raises ActionRefused if the
        ticket belongs to another customer."""
        note: dict[str, JsonValue] = {"channel": "internal-note"}
        meant = ticket.requester_email
        return await self._write(ticket, note, text, key, again=again, meant=meant)

    async def tag(self, ticket: HelpdeskTicket, tags: tuple[str, ...]) -> None:
        """Add tags to the ticket, and create those missing from the account.

        Raises ActionRefused for another customer's ticket. Never raises ActionUnknown, because
        adding tags is idempotent.
        """
        request = self._account.request(
            "POST", f"/api/tickets/{ticket_id(ticket)}/tags", body={"names": [*tags]}
        )
        exchange = self._account.exchange()
        with tagging():
            if ticket.requester_email:
                seen = await exchange.read(self._show(ticket_id(ticket)), _Ticket)
                _check_customer(seen, ticket.requester_email)
            await exchange.effect(request, _Nothing)

    async def check(self) -> None:
        """Check the credentials by requesting the account."""
        await self._account.exchange().read(self._account.request("GET", "/api/account"), _Account)

    async def _write(
        self,
        ticket: HelpdeskTicket,
        message: dict[str, JsonValue],
        text: str,
        key: str,
        *,
        again: bool,
        meant: str | None,
        files: Sequence[AttachedFile] = (),
    ) -> str:
        """Write a message. `meant` is the address that the ticket's customer must have, if any."""
        number = ticket_id(ticket)
        body: dict[str, JsonValue] = {
            "via": "api",
            "from_agent": True,
            "sender": {"email": self._agent_email},
            "body_text": plain_body(text),
            "body_html": html_body(text),
            "external_id": key,
            **message,
        }
        exchange = self._account.exchange()
        found = await self._find(exchange, number, key) if again else None
        if found is not None:
            return str(found.id)
        look = exchange.verify if again else exchange.read
        with writing(again=again):
            if meant:
                _check_customer(await look(self._show(number), _Ticket), meant)
            if files:
                body["attachments"] = await self._upload(exchange, files)
            request = self._account.request("POST", f"/api/tickets/{number}/messages", body=body)
            return str((await exchange.effect(request, _Message)).id)

    async def _upload(
        self, exchange: ConnectorCall, files: Sequence[AttachedFile]
    ) -> list[JsonValue]:
        """Upload the files and return their descriptions, for use in a message."""
        request = self._account.form(
            "/api/upload", files, field="file", query={"type": "attachment"}
        )
        with uploading():
            uploaded = await exchange.effect(request, _Uploads)
        return [one.model_dump() for one in uploaded.root]

    def _show(self, number: str) -> httpx.Request:
        return self._account.request("GET", f"/api/tickets/{number}")

    async def _find(self, exchange: ConnectorCall, number: str, key: str) -> _Message | None:
        """Return the newest message with our idempotency key, or None. Raises ActionUnknown if the
        search fails or the ticket is too long to search."""
        query: dict[str, str | int] = {
            "ticket_id": number,
            "limit": _MESSAGES_A_PAGE,
            "order_by": "created_datetime:desc",
        }
        for _ in range(_MAX_PAGES):
            request = self._account.request("GET", "/api/messages", query=query)
            page = await exchange.verify(request, _Messages)
            found = next((it for it in page.data if it.external_id == key), None)
            if found is not None or not page.meta.next_cursor:
                return found
            query["cursor"] = page.meta.next_cursor
        raise ActionUnknown("started before, and the ticket is too long to look for it")


def _check_customer(seen: _Ticket, meant: str) -> None:
    """Raise ActionRefused if the ticket belongs to a customer other than `meant`. A reply is sent
    to `meant`, but all of the ticket's participants see it."""
    check_requester(seen.customer.email if seen.customer else None, meant)

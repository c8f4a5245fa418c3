"""Intercom: replies, notes and tags in the conversations in a merchant's workspace.

Intercom has no idempotency keys, so an earlier attempt is found by author and text.
"""

import base64
from collections.abc import Mapping, Sequence
from typing import Final, Self

import httpx
from pydantic import BaseModel, ConfigDict, JsonValue

from adapters.connectors.helpdesk import (
    HelpdeskAccount,
    check_requester,
    html_body,
    tagging,
    ticket_id,
    writing,
)
from adapters.connectors.http import Rows
from adapters.connectors.said_before import SaidMessage, said_before
from domain.core.attached_file import AttachedFile
from domain.integrations.errors import ActionRefused, ActionUnknown
from domain.integrations.integration import Integration
from domain.integrations.ports import HelpdeskTicket

_VERSION: Final = "2.11"
_PLACES: Final = {
    "us": "https://api.intercom.io",
    "eu": "https://api.eu.intercom.io",
    "au": "https://api.au.intercom.io",
}
_CUSTOMERS: Final = frozenset({"user", "lead", "contact", "visitor"})


class _Shape(BaseModel):
    model_config = ConfigDict(coerce_numbers_to_str=True)


class _Author(_Shape):
    type: str = ""
    id: str | None = None
    email: str | None = None


class _Part(_Shape):
    id: str
    part_type: str = ""
    body: str | None = None
    author: _Author = _Author()


class _Parts(_Shape):
    conversation_parts: Rows[_Part] = ()


class _Source(_Shape):
    author: _Author = _Author()


class _Conversation(_Shape):
    state: str = "open"
    source: _Source = _Source()
    conversation_parts: _Parts = _Parts()

    @property
    def requester_email(self) -> str | None:
        """Return the address of the customer who started the conversation, or None."""
        author = self.source.author
        return author.email if author.type in _CUSTOMERS else None

    def said(self, kind: str, admin_id: str) -> tuple[SaidMessage, ...]:
        return tuple(
            SaidMessage(
                part.id,
                part.body or "",
                is_ours=part.part_type == kind
                and (part.author.type, part.author.id) == ("admin", admin_id),
                by_customer=part.author.type in _CUSTOMERS,
            )
            for part in self.conversation_parts.conversation_parts
        )


class _Tag(_Shape):
    id: str


class _Me(_Shape):
    type: str
    id: str


def account_of(
    integration: Integration, credentials: Mapping[str, str], http: httpx.AsyncClient
) -> HelpdeskAccount:
    """Return the Intercom workspace for an integration. The integration's settings and credentials
    must be complete (`check_settings`, `check_credentials`)."""
    return HelpdeskAccount(
        http,
        integration.base_url(_PLACES[integration.settings.get("region", "us")]),
        f"Bearer {credentials['access_token']}",
        **{"intercom-version": _VERSION},
    )


class Intercom:
    """An Intercom workspace, as domain.integrations.ports.Helpdesk. The id of a message is its
    conversation part's id."""

    def __init__(self, account: HelpdeskAccount, admin_id: str) -> None:
        self._account = account
        self._admin_id = admin_id

    @classmethod
    def of(
        cls, integration: Integration, credentials: Mapping[str, str], http: httpx.AsyncClient
    ) -> Self:
        """Return the connector for an integration. The integration's settings and credentials must
        be complete (`check_settings`, `check_credentials`)."""
        return cls(account_of(integration, credentials, http), integration.settings["admin_id"])

    async def reply(
        self,
        ticket: HelpdeskTicket,
        text: str,
        key: str,  # noqa: ARG002 - Intercom has no idempotency keys
        *,
        again: bool,
        bare: str = "",
        files: Sequence[AttachedFile] = (),
    ) -> str:
        """Add a public part to the conversation, and return the part's id. Raises ActionRefused if
        the conversation is closed or if it belongs to another customer."""
        return await self._write(ticket, "comment", text, again=again, bare=bare, files=files)

    async def note(self, ticket: HelpdeskTicket, text: str, key: str, *, again: bool) -> str:  # noqa: ARG002 - Intercom has no idempotency keys
        """Add an internal note to the conversation, and return the note's id. Raises ActionRefused
        if the conversation belongs to another customer."""
        return await self._write(ticket, "note", text, again=again)

    async def tag(self, ticket: HelpdeskTicket, tags: tuple[str, ...]) -> None:
        """Add tags to the conversation, and create those missing from the workspace.

        Raises ActionRefused for another customer's conversation. Never raises ActionUnknown,
        because adding tags is idempotent.
        """
        conversation = f"/conversations/{ticket_id(ticket)}"
        path = f"{conversation}/tags"
        exchange = self._account.exchange()
        with tagging():
            if ticket.requester_email:
                show = self._account.request("GET", conversation)
                seen = await exchange.read(show, _Conversation)
                check_requester(seen.requester_email, ticket.requester_email)
            for name in tags:
                make = self._account.request("POST", "/tags", body={"name": name})
                made = await exchange.effect(make, _Tag)
                body: dict[str, JsonValue] = {"id": made.id, "admin_id": self._admin_id}
                await exchange.effect(self._account.request("POST", path, body=body), _Tag)

    async def check(self) -> None:
        """Check the credentials by requesting the agent's own user."""
        await self._account.exchange().read(self._account.request("GET", "/me"), _Me)

    async def _write(
        self,
        ticket: HelpdeskTicket,
        kind: str,
        text: str,
        *,
        again: bool,
        bare: str = "",
        files: Sequence[AttachedFile] = (),
    ) -> str:
        path = f"/conversations/{ticket_id(ticket)}"
        exchange = self._account.exchange()
        look = exchange.verify if again else exchange.read
        with writing(again=again):
            seen = await look(self._account.request("GET", path), _Conversation)
            if again:
                found = said_before(seen.said(kind, self._admin_id), text, bare)
                if found is not None:
                    return found
            if kind == "comment":
                _check_open_to(seen, ticket)
            else:
                check_requester(seen.requester_email, ticket.requester_email)
            body: dict[str, JsonValue] = {
                "type": "admin",
                "admin_id": self._admin_id,
                "message_type": kind,
                "body": html_body(text),
            }
            if files:
                body["attachment_files"] = [_encoded(file) for file in files]
            request = self._account.request("POST", f"{path}/reply", body=body)
            after = await exchange.effect(request, _Conversation)
        written = said_before(after.said(kind, self._admin_id), text)
        if written is None:
            raise ActionUnknown("taken, and not among the parts")
        return written


def _encoded(file: AttachedFile) -> JsonValue:
    return {
        "content_type": file.claimed_type,
        "name": file.name,
        "data": base64.b64encode(file.data).decode(),
    }


def _check_open_to(seen: _Conversation, ticket: HelpdeskTicket) -> None:
    """Raise ActionRefused unless a public part would reach the customer. This check is needed
    because the part goes to the conversation's author, and the conversation was chosen by an
    untrusted caller."""
    if seen.state == "closed":
        raise ActionRefused("somebody has closed the conversation")
    check_requester(seen.requester_email, ticket.customer_email)

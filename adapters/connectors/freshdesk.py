"""Freshdesk: replies, notes and tags on the tickets in a merchant's account.

Freshdesk has no idempotency keys, so an earlier attempt is found by author and text.
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
    tagging,
    ticket_id,
    writing,
)
from adapters.connectors.http import ConnectorCall, Rows
from adapters.connectors.said_before import SaidMessage, said_before
from domain.core.attached_file import AttachedFile
from domain.integrations.errors import ActionRefused, ActionUnknown
from domain.integrations.integration import Integration
from domain.integrations.ports import HelpdeskTicket

# Pages are small because each entry contains its body twice and the response size is limited
# (`http.MAX_BODY`).
_ENTRIES_A_PAGE: Final = 25
_MAX_PAGES: Final = 8
_DONE: Final = frozenset({4, 5})  # Ids of the "resolved" and "closed" states.


class _Requester(BaseModel):
    email: str | None = None


class _Ticket(BaseModel):
    status: int
    tags: Rows[str] = ()
    requester: _Requester = _Requester()


class _Entry(BaseModel):
    """A message in a ticket. Freshdesk calls a message a conversation."""

    id: int
    user_id: int | None = None
    body: str | None = None
    incoming: bool = False
    private: bool = False


class _Entries(RootModel[Rows[_Entry]]):
    """The messages in a ticket, oldest first."""


class _Written(BaseModel):
    id: int


class _Agent(BaseModel):
    id: int


def account_of(
    integration: Integration, credentials: Mapping[str, str], http: httpx.AsyncClient
) -> HelpdeskAccount:
    """Return the Freshdesk account for an integration. The integration's settings and credentials
    must be complete (`check_settings`, `check_credentials`)."""
    base_url = integration.base_url(f"https://{integration.settings['domain']}.freshdesk.com")
    # Freshdesk ignores the password if the user name is an API key.
    return HelpdeskAccount(http, base_url, basic(credentials["api_key"], "X"))


class Freshdesk:
    """A Freshdesk account, as domain.integrations.ports.Helpdesk. The id of a message is its
    conversation's id."""

    def __init__(self, account: HelpdeskAccount) -> None:
        self._account = account

    @classmethod
    def of(
        cls, integration: Integration, credentials: Mapping[str, str], http: httpx.AsyncClient
    ) -> Self:
        """Return the connector for an integration. The integration's settings and credentials must
        be complete (`check_settings`, `check_credentials`)."""
        return cls(account_of(integration, credentials, http))

    async def reply(
        self,
        ticket: HelpdeskTicket,
        text: str,
        key: str,  # noqa: ARG002 - Freshdesk has no idempotency keys
        *,
        again: bool,
        bare: str = "",
        files: Sequence[AttachedFile] = (),
    ) -> str:
        """Email the ticket's requester, and return the message's id. Raises ActionRefused if the
        ticket is resolved or closed, or if it belongs to another customer."""
        path = f"/api/v2/tickets/{ticket_id(ticket)}"
        exchange = self._account.exchange()
        look = exchange.verify if again else exchange.read
        with writing(again=again):
            shown = await look(self._show(path), _Ticket)
            found = await self._find(exchange, path, (text, bare), private=False) if again else None
            if found is not None:
                return found
            _check_addressee(shown, ticket)
            body = {"body": html_body(text)}
            request = self._account.request("POST", f"{path}/reply", body=body)
            if files:
                request = self._account.form(
                    f"{path}/reply", files, field="attachments[]", texts=body
                )
            return str((await exchange.effect(request, _Written)).id)

    async def note(self, ticket: HelpdeskTicket, text: str, key: str, *, again: bool) -> str:  # noqa: ARG002 - Freshdesk has no idempotency keys
        """Add a private note to the ticket, and return the note's id. Raises ActionRefused if the
        ticket belongs to another customer."""
        path = f"/api/v2/tickets/{ticket_id(ticket)}"
        exchange = self._account.exchange()
        look = exchange.verify if again else exchange.read
        with writing(again=again):
            found = await self._find(exchange, path, (text,), private=True) if again else None
            if found is not None:
                return found
            if ticket.requester_email:
                shown = await look(self._show(path), _Ticket)
                check_requester(shown.requester.email, ticket.requester_email)
            body: dict[str, JsonValue] = {"body": html_body(text), "private": True}
            request = self._account.request("POST", f"{path}/notes", body=body)
            return str((await exchange.effect(request, _Written)).id)

    async def tag(self, ticket: HelpdeskTicket, tags: tuple[str, ...]) -> None:
        """Add tags to the ticket. Raises ActionRefused for another customer's ticket.

        Freshdesk replaces all tags, so concurrent calls may lose some. Never raises ActionUnknown,
        because adding tags is idempotent.
        """
        path = f"/api/v2/tickets/{ticket_id(ticket)}"
        exchange = self._account.exchange()
        with tagging():
            shown = await exchange.read(self._show(path), _Ticket)
            check_requester(shown.requester.email, ticket.requester_email)
            wanted = [*dict.fromkeys((*shown.tags, *tags))]
            if len(wanted) > len(shown.tags):
                request = self._account.request("PUT", path, body={"tags": [*wanted]})
                await exchange.effect(request, _Ticket)

    async def check(self) -> None:
        """Check the credentials by requesting the agent's own user."""
        await self._account.exchange().read(self._whoami(), _Agent)

    async def _find(
        self, exchange: ConnectorCall, path: str, texts: tuple[str, ...], *, private: bool
    ) -> str | None:
        """Return the id of our message with one of these texts, or None.

        Raises ActionUnknown if the search fails or the ticket is too long to search.
        """
        me = await exchange.verify(self._whoami(), _Agent)
        entries: list[_Entry] = []
        for page in range(1, _MAX_PAGES + 1):
            query: dict[str, str | int] = {"page": page, "per_page": _ENTRIES_A_PAGE}
            request = self._account.request("GET", f"{path}/conversations", query=query)
            found = (await exchange.verify(request, _Entries)).root
            entries += found
            if len(found) < _ENTRIES_A_PAGE:
                break
        else:
            raise ActionUnknown("started before, and the ticket is too long to look for it")
        said = [
            SaidMessage(
                str(one.id),
                one.body or "",
                is_ours=one.user_id == me.id and one.private is private and not one.incoming,
                by_customer=one.incoming,
            )
            for one in entries
        ]
        return said_before(said, *texts)

    def _show(self, path: str) -> httpx.Request:
        return self._account.request("GET", path, query={"include": "requester"})

    def _whoami(self) -> httpx.Request:
        return self._account.request("GET", "/api/v2/agents/me")


def _check_addressee(shown: _Ticket, ticket: HelpdeskTicket) -> None:
    """Raise ActionRefused unless the reply would reach the customer. This check is needed because
    the reply goes to the ticket's requester, and the ticket was chosen by an untrusted caller."""
    if shown.status in _DONE:
        raise ActionRefused("somebody has resolved the ticket")
    check_requester(shown.requester.email, ticket.customer_email)

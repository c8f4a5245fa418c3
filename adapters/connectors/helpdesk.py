"""Shared parts of the helpdesks: an account, its tickets, and plain text."""

import base64
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import escape
from typing import Final

import httpx
from pydantic import JsonValue

from adapters.connectors.http import ConnectorCall
from domain.integrations.errors import (
    ActionForbidden,
    ActionRefused,
    ActionUnknown,
    ActionUnreachable,
)
from domain.integrations.ports import HelpdeskTicket

_NOT_ITS_TICKET: Final = "the agent's user may not work on this ticket"
_TICKET_ID: Final = re.compile(r"[1-9][0-9]{0,18}")
# The start of a placeholder in the helpdesks' template languages. The helpdesk would replace it
# with account data, so a customer who made the agent repeat one could read that data.
_PLACEHOLDER: Final = re.compile(r"\{(?=[{%])")


class HelpdeskAccount:
    """One merchant's account: its base URL and the credentials for it."""

    def __init__(
        self, http: httpx.AsyncClient, base_url: str, authorization: str, **headers: str
    ) -> None:
        self._http = http
        self._base_url = base_url
        self._headers = {
            "authorization": authorization,
            "accept": "application/json",
            **headers,
        }

    def exchange(self) -> ConnectorCall:
        return ConnectorCall(self._http)

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str | int] | None = None,
        body: Mapping[str, JsonValue] | None = None,
    ) -> httpx.Request:
        return self._http.build_request(
            method, f"{self._base_url}{path}", params=query, json=body, headers=self._headers
        )


def basic(user: str, secret: str) -> str:
    """Return the header of basic authentication."""
    return f"Basic {base64.b64encode(f'{user}:{secret}'.encode()).decode()}"


@contextmanager
def tagging() -> Iterator[None]:
    """Wrap the adding of tags. ActionUnknown is never raised, because adding them again changes
    nothing."""
    try:
        yield
    except ActionForbidden:
        raise ActionRefused(_NOT_ITS_TICKET) from None
    except ActionUnknown:
        raise ActionUnreachable("nobody knows whether the tags were added") from None


@contextmanager
def writing(*, again: bool) -> Iterator[None]:
    """Wrap the writing of a message.

    `again`: the message was started before, and that attempt may still be running. Such a message
    may be repeated only after another search for it, so ActionUnreachable is then never raised.
    """
    try:
        yield
    except ActionForbidden:
        raise ActionRefused(_NOT_ITS_TICKET) from None
    except ActionUnreachable as error:
        if not again:
            raise
        raise ActionUnknown(f"begun before, and not repeated: {error}") from None


def ticket_id(ticket: HelpdeskTicket) -> str:
    """Return the ticket's number, safe for use in a path, because callers may send any text. Raises
    ActionRefused."""
    if not _TICKET_ID.fullmatch(ticket.id):
        raise ActionRefused("no ticket of a helpdesk", sent=False)
    return ticket.id


def plain_body(text: str) -> str:
    """Return the text without placeholders that the helpdesk would replace."""
    return _PLACEHOLDER.sub("{ ", text)


def html_body(text: str) -> str:
    """Return the text as HTML that shows exactly these words, without interpreting markup or
    Markdown."""
    paragraphs = plain_body(text).strip().split("\n\n")
    return "".join(f"<p>{escape(part).replace(chr(10), '<br>')}</p>" for part in paragraphs)

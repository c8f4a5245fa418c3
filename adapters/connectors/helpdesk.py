"""Code shared by all helpdesk connectors: an account, its tickets, and plain text."""

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from typing import Final

import httpx
from pydantic import JsonValue

from adapters.connectors.http import ConnectorCall
from domain.core.attached_file import AttachedFile
from domain.intake.customer_email import is_same_customer
from domain.integrations.errors import (
    ActionForbidden,
    ActionRefused,
    ActionUnknown,
    ActionUnreachable,
)
from domain.integrations.ports import HelpdeskTicket

_NOT_ITS_TICKET: Final = "the agent's user may not work on this ticket"
_TICKET_ID: Final = re.compile(r"[1-9][0-9]{0,18}")
# The start of a placeholder in the helpdesks' template languages. A customer could otherwise make
# the agent's reply reveal account data.
_PLACEHOLDER: Final = re.compile(r"\{(?=[{%])")


class HelpdeskAccount:
    """A merchant's account at a helpdesk: its base URL and its credentials."""

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

    def upload(
        self, path: str, file: AttachedFile, *, query: Mapping[str, str | int] | None = None
    ) -> httpx.Request:
        """Return a POST request whose body is the file."""
        return self._http.build_request(
            "POST",
            f"{self._base_url}{path}",
            params=query,
            content=file.data,
            headers={**self._headers, "content-type": file.claimed_type},
        )

    def form(
        self,
        path: str,
        files: Sequence[AttachedFile],
        *,
        field: str,
        texts: Mapping[str, str] | None = None,
        query: Mapping[str, str | int] | None = None,
    ) -> httpx.Request:
        """Return a POST request with a multipart form, with the files in `field` and the other
        fields in `texts`."""
        return self._http.build_request(
            "POST",
            f"{self._base_url}{path}",
            params=query,
            data=texts,
            files=[(field, (file.name, file.data, file.claimed_type)) for file in files],
            headers=self._headers,
        )


def basic(user: str, secret: str) -> str:
    """Return the value of the Authorization header for basic authentication."""
    return f"Basic {base64.b64encode(f'{user}:{secret}'.encode()).decode()}"


@contextmanager
def tagging() -> Iterator[None]:
    """Run a block that adds tags. An unknown outcome is raised as ActionUnreachable, because adding
    the same tags again changes nothing."""
    try:
        yield
    except ActionForbidden:
        raise ActionRefused(_NOT_ITS_TICKET) from None
    except ActionUnknown:
        raise ActionUnreachable("nobody knows whether the tags were added") from None


@contextmanager
def uploading() -> Iterator[None]:
    """Run a block that uploads files. An unknown outcome is raised as ActionUnreachable, because a
    file that no message contains has no effect."""
    try:
        yield
    except ActionUnknown:
        raise ActionUnreachable("the outcome of the upload is unknown") from None


@contextmanager
def writing(*, again: bool) -> Iterator[None]:
    """Run a block that writes a message, and convert its errors.

    If `again` is true, an earlier attempt may still be running. ActionUnreachable then becomes
    ActionUnknown because the message must be searched for first.
    """
    try:
        yield
    except ActionForbidden:
        raise ActionRefused(_NOT_ITS_TICKET) from None
    except ActionUnreachable as error:
        if not again:
            raise
        raise ActionUnknown(f"started before, and not repeated: {error}") from None


def ticket_id(ticket: HelpdeskTicket) -> str:
    """Return the ticket's number in a form that is safe in a URL path. Raises ActionRefused unless
    it is a number."""
    if not _TICKET_ID.fullmatch(ticket.id):
        raise ActionRefused("no ticket of a helpdesk", sent=False)
    return ticket.id


def check_requester(reader: str | None, meant: str | None) -> None:
    """Raise ActionRefused if the ticket's requester is known to be another customer. The sender of
    the event chooses the ticket."""
    if reader and meant and not is_same_customer(reader, meant):
        raise ActionRefused("the ticket is another customer's")


def plain_body(text: str) -> str:
    """Return the text with its placeholders altered, so that the helpdesk does not replace them."""
    return _PLACEHOLDER.sub("{ ", text)


def html_body(text: str) -> str:
    """Return HTML that displays exactly this text. Markup and Markdown in the text are not
    interpreted."""
    paragraphs = plain_body(text).strip().split("\n\n")
    return "".join(f"<p>{escape(part).replace(chr(10), '<br>')}</p>" for part in paragraphs)

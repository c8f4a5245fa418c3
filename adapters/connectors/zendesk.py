"""Zendesk: comments and tags on the tickets in a merchant's account.

Zendesk does not deduplicate updates. Each comment's audit carries its idempotency key, hidden from
customers, by which a retry finds an earlier attempt. An update fails if the ticket has changed
since it was read (`safe_update`), so that only one of two attempts succeeds.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Self

import httpx
from pydantic import BaseModel, JsonValue

from adapters.connectors.helpdesk import (
    HelpdeskAccount,
    basic,
    check_requester,
    html_body,
    tagging,
    ticket_id,
    uploading,
    writing,
)
from adapters.connectors.http import Conflict, ConnectorCall, Rows
from domain.core.attached_file import AttachedFile
from domain.integrations.errors import (
    ActionRefused,
    ActionUnknown,
    ActionUnreachable,
    NotAuthorized,
)
from domain.integrations.integration import Integration
from domain.integrations.ports import HelpdeskTicket

_KEY: Final = "action_key"
# Maximum number of attempts at an update. If the ticket changes concurrently, the update fails and
# the ticket is read again.
_TRIES: Final = 3
# Pages are small because each audit contains its whole comment and the response size is limited
# (`http.MAX_BODY`).
_AUDITS_A_PAGE: Final = 25
_MAX_PAGES: Final = 8


class _User(BaseModel):
    id: int
    email: str | None = None


class _Ticket(BaseModel):
    status: str
    updated_at: str
    requester_id: int | None = None
    tags: Rows[str] = ()


class _Shown(BaseModel):
    ticket: _Ticket
    users: Rows[_User] = ()

    @property
    def requester_email(self) -> str | None:
        return next((u.email for u in self.users if u.id == self.ticket.requester_id), None)


class _Event(BaseModel):
    id: int | str
    type: str = ""


class _Metadata(BaseModel):
    custom: JsonValue = None


class _Audit(BaseModel):
    id: int
    metadata: _Metadata | None = None
    events: Rows[_Event] = ()

    def has(self, key: str) -> bool:
        custom = self.metadata.custom if self.metadata else None
        return isinstance(custom, dict) and custom.get(_KEY) == key

    @property
    def comment_id(self) -> str:
        return str(next((event.id for event in self.events if event.type == "Comment"), self.id))


class _Meta(BaseModel):
    has_more: bool = False
    after_cursor: str | None = None


class _Audits(BaseModel):
    audits: Rows[_Audit]
    meta: _Meta = _Meta()


class _Updated(BaseModel):
    audit: _Audit


class _Upload(BaseModel):
    token: str


class _Uploaded(BaseModel):
    upload: _Upload


class _Tagged(BaseModel):
    tags: Rows[str]


class _Myself(BaseModel):
    """The user to whom the credentials belong. For a caller without access, Zendesk returns a user
    without an id."""

    id: int | None = None
    role: str | None = None


class _Me(BaseModel):
    user: _Myself


def account_of(
    integration: Integration, credentials: Mapping[str, str], http: httpx.AsyncClient
) -> HelpdeskAccount:
    """Return the Zendesk account for an integration. The integration's settings and credentials
    must be complete (`check_settings`, `check_credentials`)."""
    settings = integration.settings
    return HelpdeskAccount(
        http,
        integration.base_url(f"https://{settings['subdomain']}.zendesk.com"),
        basic(f"{settings['email']}/token", credentials["api_token"]),
    )


class Zendesk:
    """A Zendesk account, as domain.integrations.ports.Helpdesk. The id of a message is
    its comment's id."""

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
        key: str,
        *,
        again: bool,
        bare: str = "",  # noqa: ARG002 - found by the key
        files: Sequence[AttachedFile] = (),
    ) -> str:
        """Add a public comment to the ticket, and return the comment's id. Raises ActionRefused if
        the ticket is solved or closed, or if it belongs to another customer."""
        return await self._comment(ticket, text, key, public=True, again=again, files=files)

    async def note(self, ticket: HelpdeskTicket, text: str, key: str, *, again: bool) -> str:
        """Add a private comment to the ticket, and return the comment's id. Raises ActionRefused if
        the ticket is closed or belongs to another customer."""
        return await self._comment(ticket, text, key, public=False, again=again)

    async def tag(self, ticket: HelpdeskTicket, tags: tuple[str, ...]) -> None:
        """Add tags to the ticket, in lower case without spaces. Raises ActionRefused for a closed
        or another customer's ticket. Never raises ActionUnknown, because adding tags is
        idempotent."""
        path = f"/api/v2/tickets/{ticket_id(ticket)}"
        names = ["_".join(tag.lower().split()) for tag in tags]
        exchange = self._account.exchange()
        with tagging():
            for _ in range(_TRIES):
                shown = await exchange.read(self._show(path), _Shown)
                check_requester(shown.requester_email, ticket.requester_email)
                if set(names) <= set(shown.ticket.tags):
                    return
                _check_open(shown.ticket)
                try:
                    await exchange.effect(self._tags(path, names, shown.ticket), _Tagged)
                except Conflict:
                    continue
                return
        raise ActionUnreachable("the ticket changes all the time")

    async def check(self) -> None:
        """Check the credentials by requesting the agent's own user. Raises NotAuthorized if that
        user is not a Zendesk agent, because a helpdesk's customers are not allowed to read
        tickets."""
        request = self._account.request("GET", "/api/v2/users/me.json")
        me = (await self._account.exchange().read(request, _Me)).user
        if me.id is None or me.role == "end-user":
            raise NotAuthorized("no agent of this account")

    async def _comment(
        self,
        ticket: HelpdeskTicket,
        text: str,
        key: str,
        *,
        public: bool,
        again: bool,
        files: Sequence[AttachedFile] = (),
    ) -> str:
        path = f"/api/v2/tickets/{ticket_id(ticket)}"
        exchange = self._account.exchange()
        look = exchange.verify if again else exchange.read
        uploads: tuple[str, ...] | None = None
        with writing(again=again):
            for _ in range(_TRIES):
                shown = await look(self._show(path), _Shown)
                # The audits are read after the ticket. If a comment is added between the two reads,
                # the update fails.
                found = await self._find(exchange, path, key) if again else None
                if found is not None:
                    return found.comment_id
                _check_open(shown.ticket)
                if public:
                    _check_addressee(shown, ticket)
                else:
                    check_requester(shown.requester_email, ticket.requester_email)
                if uploads is None:
                    uploads = await self._upload(exchange, files)
                update = self._update(
                    path, text, key, public=public, seen=shown.ticket, uploads=uploads
                )
                try:
                    return (await exchange.effect(update, _Updated)).audit.comment_id
                except Conflict:
                    continue
        if again:
            raise ActionUnknown("started before, and the ticket changes all the time")
        raise ActionUnreachable("the ticket changes all the time")

    async def _upload(
        self, exchange: ConnectorCall, files: Sequence[AttachedFile]
    ) -> tuple[str, ...]:
        """Upload the files and return their tokens. Zendesk deletes a file whose token no comment
        contains."""
        with uploading():
            return tuple(
                [
                    (
                        await exchange.effect(
                            self._account.upload(
                                "/api/v2/uploads.json", file, query={"filename": file.name}
                            ),
                            _Uploaded,
                        )
                    ).upload.token
                    for file in files
                ]
            )

    async def _find(self, exchange: ConnectorCall, path: str, key: str) -> _Audit | None:
        """Return the newest audit with our idempotency key, or None. Raises ActionUnknown if the
        search fails or the ticket's history is too long to search."""
        query: dict[str, str | int] = {"page[size]": _AUDITS_A_PAGE, "sort": "-created_at"}
        for _ in range(_MAX_PAGES):
            request = self._account.request("GET", f"{path}/audits.json", query=query)
            page = await exchange.verify(request, _Audits)
            found = next((audit for audit in page.audits if audit.has(key)), None)
            if found is not None or not page.meta.has_more or not page.meta.after_cursor:
                return found
            query["page[after]"] = page.meta.after_cursor
        raise ActionUnknown("started before, and the ticket's history is too long to look for it")

    def _show(self, path: str) -> httpx.Request:
        return self._account.request("GET", f"{path}.json", query={"include": "users"})

    def _update(
        self,
        path: str,
        text: str,
        key: str,
        *,
        public: bool,
        seen: _Ticket,
        uploads: tuple[str, ...],
    ) -> httpx.Request:
        comment: dict[str, JsonValue] = {"html_body": html_body(text), "public": public}
        if uploads:
            comment["uploads"] = [*uploads]
        update: dict[str, JsonValue] = {
            "comment": comment,
            "metadata": {_KEY: key},
            "safe_update": True,
            "updated_stamp": seen.updated_at,
        }
        return self._account.request("PUT", f"{path}.json", body={"ticket": update})

    def _tags(self, path: str, names: list[str], seen: _Ticket) -> httpx.Request:
        # This endpoint adds tags. A ticket's `tags` field would replace the existing tags. In this
        # endpoint, `safe_update` is a string.
        body: dict[str, JsonValue] = {
            "tags": [*names],
            "safe_update": "true",
            "updated_stamp": seen.updated_at,
        }
        return self._account.request("PUT", f"{path}/tags.json", body=body)


def _check_open(ticket: _Ticket) -> None:
    if ticket.status == "closed":
        raise ActionRefused("the ticket is closed")


def _check_addressee(shown: _Shown, ticket: HelpdeskTicket) -> None:
    """Raise ActionRefused unless a public comment would reach the customer. This check is needed
    because the comment goes to the ticket's requester, and the ticket was chosen by an untrusted
    caller."""
    if shown.ticket.status == "solved":
        raise ActionRefused("somebody has solved the ticket")
    check_requester(shown.requester_email, ticket.customer_email)

"""Poll a Zendesk account for new comments on its tickets. Changes have the same format as Zendesk's
events."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from pydantic import AwareDatetime, BaseModel, JsonValue

from adapters.connectors.helpdesk import HelpdeskAccount
from adapters.connectors.http import Rows
from domain.inbound.polling import ChangesPage, FoundChange, poll_name

_EVENT: Final = "zen:event-type:ticket."
_COMMENT_ADDED: Final = f"{_EVENT}comment_added"
_STATUS_CHANGED: Final = f"{_EVENT}status_changed"
_STAFF: Final = frozenset({"agent", "admin"})
_ENDED: Final = frozenset({"solved", "closed"})
# Each ticket's comments are requested separately, for a few tickets in parallel, because a poll has
# only a few seconds for all tickets.
_TICKETS: Final = 15
_AT_ONCE: Final = 5
_COMMENTS: Final = 25
# The maximum delay after which a ticket with a new comment appears in the list of changes.
_LATE: Final = timedelta(minutes=10)


class _Ticket(BaseModel):
    id: int
    subject: str | None = None
    status: str
    created_at: AwareDatetime
    updated_at: AwareDatetime
    requester_id: int | None = None


class _Tickets(BaseModel):
    tickets: Rows[_Ticket]
    after_cursor: str | None = None
    end_of_stream: bool = True


class _User(BaseModel):
    id: int
    name: str | None = None
    email: str | None = None
    role: str | None = None


class _Comment(BaseModel):
    id: int
    author_id: int
    body: str | None = None
    plain_body: str | None = None
    public: bool = True
    created_at: AwareDatetime


class _Comments(BaseModel):
    comments: Rows[_Comment]
    users: Rows[_User] = ()


class ZendeskChanges:
    """The changes in a Zendesk account, as `domain.inbound.polling.Polls`.

    Only administrators may read changes. The position is Zendesk's cursor and the time of the
    earliest new comment.
    """

    def __init__(self, account: HelpdeskAccount) -> None:
        self._account = account

    async def changes(self, position: Mapping[str, str], since: datetime) -> ChangesPage:
        begin = datetime.fromisoformat(position["since"]) if "since" in position else since
        latest = max(begin, datetime.fromisoformat(position.get("latest", begin.isoformat())))
        query: dict[str, str | int] = {"per_page": _TICKETS}
        if "cursor" in position:
            query["cursor"] = position["cursor"]
        else:
            query["start_time"] = int(begin.timestamp())
        request = self._account.request(
            "GET", "/api/v2/incremental/tickets/cursor.json", query=query
        )
        found = await self._account.exchange().read(request, _Tickets)
        changes: list[FoundChange] = []
        new_from = max(begin - _LATE, since)
        for first in range(0, len(found.tickets), _AT_ONCE):
            some = found.tickets[first : first + _AT_ONCE]
            for said in await asyncio.gather(*(self._of(ticket, new_from) for ticket in some)):
                changes += said
        latest = max([latest, *(ticket.updated_at for ticket in found.tickets)])
        has_more = not found.end_of_stream and found.after_cursor is not None
        onward = {"since": begin.isoformat(), "latest": latest.isoformat()}
        if not has_more:
            onward = {"since": latest.isoformat()}
        if found.after_cursor is not None:
            onward["cursor"] = found.after_cursor
        return ChangesPage(tuple(changes), onward, has_more=has_more)

    async def _of(self, ticket: _Ticket, new_from: datetime) -> Iterator[FoundChange]:
        request = self._account.request(
            "GET",
            f"/api/v2/tickets/{ticket.id}/comments.json",
            query={"include": "users", "sort": "-created_at", "page[size]": _COMMENTS},
        )
        said = await self._account.exchange().read(request, _Comments)
        people = {user.id: user for user in said.users}
        new = [one for one in said.comments if one.created_at >= new_from]
        return _changes(ticket, sorted(new, key=lambda one: one.created_at), people)


def _changes(
    ticket: _Ticket, comments: list[_Comment], people: Mapping[int, _User]
) -> Iterator[FoundChange]:
    for comment in comments:
        author = people.get(comment.author_id)
        address = author.email if author else None
        event: JsonValue = {
            "comment": {
                "id": str(comment.id),
                "body": comment.plain_body or comment.body or "",
                "is_public": comment.public,
                "author": {
                    # The id is set only if the address is unknown. Triggers identify an author by
                    # address, so with an id as well, the same author would get a second thread.
                    "id": None if address else str(comment.author_id),
                    "email": address,
                    "name": author.name if author else None,
                    # An author is treated as a customer only if Zendesk identifies the author as a
                    # customer. An unknown author is treated as staff.
                    "is_staff": author is None or author.role in _STAFF,
                },
            }
        }
        yield FoundChange(
            poll_name(_COMMENT_ADDED, str(ticket.id), str(comment.id)),
            _body(_COMMENT_ADDED, ticket, comment.created_at, event),
        )
    if ticket.status in _ENDED:
        at = ticket.updated_at.astimezone(UTC).isoformat()
        yield FoundChange(
            poll_name(_STATUS_CHANGED, str(ticket.id), at),
            _body(_STATUS_CHANGED, ticket, ticket.updated_at, {"current": ticket.status}),
        )


def _body(kind: str, ticket: _Ticket, at: datetime, event: JsonValue) -> bytes:
    body: JsonValue = {
        "type": kind,
        "time": at.isoformat(),
        "detail": {
            "id": str(ticket.id),
            "subject": ticket.subject,
            "status": ticket.status,
            "created_at": ticket.created_at.isoformat(),
            "requester_id": str(ticket.requester_id) if ticket.requester_id else None,
        },
        "event": event,
    }
    return json.dumps(body).encode()

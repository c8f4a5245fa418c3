"""Query and response models for a page of the audit log."""

from dataclasses import asdict
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Final

from pydantic import BaseModel, Field

from api.schemas.core.client_query import ClientQuery
from api.schemas.core.day import Day
from domain.audit.chain import ChainLink
from store.audit.audit_log import EntryFilter

_MAX_CHARS: Final = 255
_DAY: Final = timedelta(days=1)


class AuditQuery(ClientQuery):
    what: Annotated[
        str | None,
        Field(
            max_length=_MAX_CHARS,
            description="Return only entries of this kind, such as `key created`.",
        ),
    ] = None
    actor: Annotated[
        str | None,
        Field(max_length=_MAX_CHARS, description="Return only actions by this user or key."),
    ] = None
    first: Annotated[
        Day | None, Field(alias="from", description=("First day of the entries, UTC."))
    ] = None
    last: Annotated[
        Day | None, Field(alias="to", description=("Last day of the entries, UTC."))
    ] = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    cursor: Annotated[
        str | None,
        Field(
            pattern="^[1-9][0-9]{0,17}$",
            description="Value of `next_cursor` from the previous page.",
        ),
    ] = None

    def which(self) -> EntryFilter:
        endless = self.last is None or self.last == date.max
        return EntryFilter(
            what=self.what,
            actor=self.actor,
            since=_midnight(self.first) if self.first else None,
            until=None if self.last is None or endless else _midnight(self.last) + _DAY,
        )


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


class AuditRecord(BaseModel):
    """One entry of the audit log."""

    seq: Annotated[
        int,
        Field(
            description="Position of the entry in the client's log, starting at 1, without gaps."
        ),
    ]
    id: Annotated[str, Field(description="ULID of the entry.")]
    at: datetime
    actor_kind: Annotated[
        str, Field(description=("Type of the actor: `person`, `key`, `operator` or `system`."))
    ]
    actor: Annotated[
        str,
        Field(
            description="Id of the user or key, or name of the operator; never an email address."
        ),
    ]
    login: Annotated[
        str | None,
        Field(description="Name of the operator who acted on behalf of the actor, or null."),
    ]
    network: Annotated[
        str | None,
        Field(
            description=(
                "The actor's IP network, a /24 (IPv4) or /48 (IPv6); null if there was no request."
            )
        ),
    ]
    what: str
    ids: Annotated[
        dict[str, str], Field(description=("Ids of the records that the action affected."))
    ]
    hash: Annotated[
        str,
        Field(
            description=(
                "Hash of this entry combined with the previous entry's hash, in hexadecimal."
            )
        ),
    ]

    @staticmethod
    def of(link: ChainLink) -> "AuditRecord":
        return AuditRecord(**asdict(link.entry), hash=link.hash.hex())


class AuditPage(BaseModel):
    entries: list[AuditRecord]
    next_cursor: Annotated[
        str | None, Field(description="Cursor for the next page; null on the last page.")
    ]

"""The records of the audit log."""

from typing import Annotated

from pydantic import Field

from domain.exports.record import BigCount, Id, Record, Time

_Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class AuditEntryRecord(Record):
    """A change by an actor. An import leaves it out: the log of a client describes the changes to
    that client. How the hashes are computed: audit.md."""

    seq: Annotated[BigCount, Field(description="Its place in the client's log, from 1.")]
    id: Annotated[Id, Field(description="ULID of the entry.")]
    at: Annotated[Time, Field(description="When it was done.")]
    actor_kind: Annotated[str, Field(description="`person`, `key`, `operator` or `system`.")]
    actor: Annotated[
        str, Field(description="Id of the user or key, or the operator's name; never an address.")
    ]
    login: Annotated[
        str | None, Field(description="The operator who did it in the actor's name, if one did.")
    ]
    network: Annotated[
        str | None, Field(description="Where the request came from: a /24 or /48 network.")
    ]
    what: Annotated[str, Field(description="What was done.")]
    ids: Annotated[dict[str, str], Field(description="The records that it is about.")]
    previous: Annotated[_Hash, Field(description="The hash of the entry before.")]
    hash: Annotated[_Hash, Field(description="Over this entry and the one before.")]

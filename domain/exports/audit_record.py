"""The records of the audit log."""

from typing import Annotated

from pydantic import Field

from domain.exports.record import BigCount, Id, Record, Time

_Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class AuditEntryRecord(Record):
    """A change by an actor. An import leaves it out: the log of a client describes the changes to
    that client. How the hashes are computed: audit.md."""

    seq: Annotated[BigCount, Field(description="Position in the client's log, starting at 1.")]
    id: Annotated[Id, Field(description="ULID of the entry.")]
    at: Annotated[Time, Field(description="Time of the change.")]
    actor_kind: Annotated[
        str, Field(description="Kind of actor: `person`, `key`, `operator` or `system`.")
    ]
    actor: Annotated[
        str,
        Field(description="Id of the user or key, or the operator's name; never an email address."),
    ]
    login: Annotated[
        str | None,
        Field(description="Operator who acted in the actor's name; null if there was none."),
    ]
    network: Annotated[
        str | None, Field(description="Network of the request, /24 or /48; null without a request.")
    ]
    what: Annotated[str, Field(description="Name of the change, such as `key created`.")]
    ids: Annotated[dict[str, str], Field(description="Ids of the affected records.")]
    previous: Annotated[_Hash, Field(description="Hash of the previous entry.")]
    hash: Annotated[_Hash, Field(description="Hash of this entry and the previous hash.")]

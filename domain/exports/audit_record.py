"""Export record for an audit log entry."""

from typing import Annotated

from pydantic import Field

from domain.exports.record import BigCount, Id, Record, Time

_Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class AuditEntryRecord(Record):
    """A change by an actor, from the audit log. An import skips this record because the log of the
    importing client describes only changes to that client. docs/audit.md describes how the hashes
    are computed."""

    seq: Annotated[
        BigCount, Field(description=("Number of the entry in the client's log, starting at 1."))
    ]
    id: Annotated[Id, Field(description="ULID of the entry.")]
    at: Annotated[Time, Field(description="Time of the change.")]
    actor_kind: Annotated[
        str,
        Field(description=("Kind of actor: `person`, `key` (an API key), `operator` or `system`.")),
    ]
    actor: Annotated[
        str,
        Field(
            description=(
                "Id of the user or API key, or the operator's name; never an email address."
            )
        ),
    ]
    login: Annotated[
        str | None,
        Field(
            description=(
                "Operator who acted on the actor's behalf; null if the actor acted directly."
            )
        ),
    ]
    network: Annotated[
        str | None,
        Field(
            description=(
                "The actor's IP network, a /24 (IPv4) or /48 (IPv6); null if there was no request."
            )
        ),
    ]
    what: Annotated[str, Field(description="Name of the change, such as `key created`.")]
    ids: Annotated[
        dict[str, str], Field(description=("Ids of the records that the change affected."))
    ]
    previous: Annotated[_Hash, Field(description="Hash of the previous entry in the client's log.")]
    hash: Annotated[
        _Hash, Field(description=("Hash of this entry's content and the previous entry's hash."))
    ]

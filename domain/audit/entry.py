"""An entry in the audit log: the actor, the action, the time and the actor's IP network.

An entry contains only ids and digests, so an erasure does not change the entry.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from domain.tenants.actor import Actor

# Increase this version when the hashed fields change. Stored entries keep the hash of the version
# that wrote them.
_FORM: Final = "1"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Note:
    """A use case's record of an action, from which an audit entry is created. `ids` are the
    affected records."""

    actor: Actor
    what: str
    ids: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """An entry in the audit log. Fields are not validated, because a tampered entry must still be
    readable.

    - `seq`: the sequence number in the client's chain, from 1.
    - `login`: the operator's login, if an operator acted on a member's behalf.
    - `network`: the client's IP network, or None without a request.
    """

    client_id: str
    seq: int
    id: str
    at: datetime
    actor_kind: str
    actor: str
    login: str | None
    network: str | None
    what: str
    ids: Mapping[str, str]

    def canonical(self) -> bytes:
        """Return the bytes of the entry that are hashed: a JSON array in ASCII, with sorted object
        keys and without spaces. The time is in microseconds since 1970."""
        parts = (
            _FORM,
            self.client_id,
            self.seq,
            self.id,
            (self.at - _EPOCH) // _MICROSECOND,
            self.actor_kind,
            self.actor,
            self.login,
            self.network,
            self.what,
            self.ids,
        )
        return json.dumps(parts, sort_keys=True, separators=(",", ":")).encode("ascii")

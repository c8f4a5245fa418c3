"""One entry of the audit log: the actor, the change, the time and the origin. It holds ids and
digests only, so an erasure leaves it as it is."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from domain.tenants.actor import Actor

# A change of the hashed fields needs another form: old entries keep the hash of theirs.
_FORM: Final = "1"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Note:
    """An action of a use case, before it is an entry. `ids`: the records that it is about."""

    actor: Actor
    what: str
    ids: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """`seq`: its place in the client's chain, from 1. `login`: the operator who acts in a person's
    name. `network`: the network of the request; None without a request.

    Nothing is checked here: an entry that was tampered with must be readable too.
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
        """Return the form that is hashed: a JSON array in ASCII, with sorted names and without
        spaces. The time is in microseconds since 1970."""
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

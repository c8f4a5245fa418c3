"""The hash chain of a client's audit entries: each entry contains the previous entry's hash.

A changed, removed or inserted entry breaks the chain. An attacker could recompute all later hashes,
so checkpoints with an entry's sequence number and hash are also stored outside the database.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import Final

from domain.audit.entry import AuditEntry, Note
from domain.core.ids import TenantId
from domain.core.ports import NewId
from domain.tenants.actor import without_address

ALL: Final = TenantId("all")
"""The id of the chain for entries that concern the whole installation instead of one client."""


@dataclass(frozen=True, slots=True)
class ChainHead:
    """The sequence number and hash of a chain's last entry."""

    seq: int
    hash: bytes


START: Final = ChainHead(0, bytes(32))
"""The head of a chain without entries."""


@dataclass(frozen=True, slots=True)
class ChainLink:
    """An audit entry with its hash. `previous` is the hash of the previous entry in the chain."""

    entry: AuditEntry
    previous: bytes
    hash: bytes

    @property
    def head(self) -> ChainHead:
        return ChainHead(self.entry.seq, self.hash)


@dataclass(frozen=True, slots=True)
class Anchor:
    """A checkpoint: the recorded state of a client's chain. At the recorded time, the entry with
    number `seq` had this hash."""

    client_id: str
    seq: int
    hash: bytes


class FaultKind(StrEnum):
    """The kind of a fault in a chain.

    - `missing`: entries are missing in the middle.
    - `changed`: an entry differs from the content that was hashed.
    - `unlinked`: an entry does not contain the preceding entry's hash, after an insertion or
      replacement.
    - `inserted`: entries exist before the chain's first entry or after its head.
    - `cut`: entries at the end are missing.
    - `head`: the stored head is missing, or is not the last entry's hash.
    - `replaced`: an entry's hash differs from its checkpoint.
    """

    MISSING = "missing"
    CHANGED = "changed"
    UNLINKED = "unlinked"
    INSERTED = "inserted"
    CUT = "cut"
    HEAD = "head"
    REPLACED = "replaced"


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in a client's chain, with the first and last affected sequence number. `id` is the
    affected entry's id, or None if the entry is missing."""

    client_id: str
    kind: FaultKind
    first: int
    last: int
    id: str | None = None


def hash_of(previous: bytes, entry: AuditEntry) -> bytes:
    """Return the hash of an entry. `previous` is the hash of the previous entry, 32 bytes."""
    return sha256(previous + entry.canonical()).digest()


def chained(
    head: ChainHead, client_id: str, notes: Iterable[Note], now: datetime, new_id: NewId
) -> tuple[ChainLink, ...]:
    """Return the notes as new audit entries that follow `head` in the client's chain. `now` is the
    time given to all entries."""
    links = []
    for note in notes:
        actor = note.actor
        entry = AuditEntry(
            client_id=client_id,
            seq=head.seq + 1,
            id=new_id(),
            at=now,
            actor_kind=actor.kind,
            actor=actor.known_as,
            login=None if actor.login is None else without_address(actor.login),
            network=actor.network,
            what=note.what,
            ids={name: without_address(value) for name, value in note.ids.items()},
        )
        links.append(ChainLink(entry, head.hash, hash_of(head.hash, entry)))
        head = links[-1].head
    return tuple(links)


class ChainWalk:
    """Check a client's chain from its first entry to its head. `anchors` are the chain's
    checkpoints.

    After a fault, the check continues from the next existing entry, so that each fault is reported
    once.
    """

    def __init__(self, client_id: str, anchors: Iterable[Anchor] = ()) -> None:
        self._client_id = client_id
        self._anchors: dict[int, set[bytes]] = {}
        for anchor in anchors:
            self._anchors.setdefault(anchor.seq, set()).add(anchor.hash)
        self._last = START
        self.entries = 0

    def follow(self, links: Sequence[ChainLink]) -> Iterator[Fault]:
        """Check the next entries, sorted by sequence number, and yield the faults."""
        for link in links:
            self.entries += 1
            yield from self._step(link)

    def _step(self, link: ChainLink) -> Iterator[Fault]:
        seq, expected = link.entry.seq, self._last.seq + 1
        # Sequence numbers are unique, so this entry precedes the chain's first entry.
        if seq < expected:
            yield self._fault(FaultKind.INSERTED, seq, seq, link.entry.id)
            return
        if seq > expected:
            yield self._fault(FaultKind.MISSING, expected, seq - 1)
        elif link.previous != self._last.hash:
            yield self._fault(FaultKind.UNLINKED, seq, seq, link.entry.id)
        if link.hash != hash_of(link.previous, link.entry):
            yield self._fault(FaultKind.CHANGED, seq, seq, link.entry.id)
        if self._anchors.get(seq, set()) - {link.hash}:
            yield self._fault(FaultKind.REPLACED, seq, seq, link.entry.id)
        self._last = link.head

    def end(self, head: ChainHead | None) -> Iterator[Fault]:
        """Check the end of the chain, after all entries, and yield the faults.

        `head` is the chain's head as stored in the database, or None if the stored head is missing.
        """
        last = self._last
        known = max([head.seq if head else 0, *self._anchors])
        if known > last.seq:
            yield self._fault(FaultKind.CUT, last.seq + 1, known)
        if head is None:
            if last.seq:
                yield self._fault(FaultKind.HEAD, last.seq, last.seq)
        elif head.seq < last.seq:
            yield self._fault(FaultKind.INSERTED, head.seq + 1, last.seq)
        elif head.seq == last.seq and head.hash != last.hash:
            yield self._fault(FaultKind.HEAD, last.seq, last.seq)

    def _fault(self, kind: FaultKind, first: int, last: int, entry_id: str | None = None) -> Fault:
        return Fault(self._client_id, kind, first, last, entry_id)


class AnchorDigest:
    """A SHA-256 digest of checkpoints. Add the checkpoints sorted by client and sequence number."""

    def __init__(self, anchors: Iterable[Anchor] = ()) -> None:
        self.number = 0
        self._digest = sha256()
        self.add(anchors)

    def add(self, anchors: Iterable[Anchor]) -> None:
        for one in anchors:
            self.number += 1
            self._digest.update(f"{one.client_id} {one.seq} {one.hash.hex()}\n".encode())

    @property
    def text(self) -> str:
        """The digest in hexadecimal."""
        return self._digest.hexdigest()

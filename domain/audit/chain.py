"""The chain of a client's audit entries, in which each entry contains the hash of the previous one.

Changing, removing or inserting an entry breaks the chain at that entry. If an attacker recomputes
all later hashes, an anchor reveals the change: an anchor is a position in the chain and its hash,
also stored elsewhere.
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
"""The chain of entries that concern the whole installation."""


@dataclass(frozen=True, slots=True)
class ChainHead:
    """The sequence number and the hash of a chain's last entry."""

    seq: int
    hash: bytes


START: Final = ChainHead(0, bytes(32))
"""The head of a chain without entries."""


@dataclass(frozen=True, slots=True)
class ChainLink:
    """An entry with its place in the chain. `previous`: the hash of the previous entry."""

    entry: AuditEntry
    previous: bytes
    hash: bytes

    @property
    def head(self) -> ChainHead:
        return ChainHead(self.entry.seq, self.hash)


@dataclass(frozen=True, slots=True)
class Anchor:
    """A recorded state of a chain: entry `seq` had this hash."""

    client_id: str
    seq: int
    hash: bytes


class FaultKind(StrEnum):
    """The kind of a fault. `missing`: entries between others are gone. `changed`: an entry differs
    from the content that was hashed. `unlinked`: an entry does not follow the previous one, because
    it was inserted or replaced. `inserted`: entries are before the first or after the head. `cut`:
    entries at the end are gone. `head`: the chain's head is gone, or its hash differs from the last
    entry's. `replaced`: an entry differs from the anchored one."""

    MISSING = "missing"
    CHANGED = "changed"
    UNLINKED = "unlinked"
    INSERTED = "inserted"
    CUT = "cut"
    HEAD = "head"
    REPLACED = "replaced"


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that covers the entries from `first` to `last` of a client's chain. `id`: the entry's
    id, if the entry exists."""

    client_id: str
    kind: FaultKind
    first: int
    last: int
    id: str | None = None


def hash_of(previous: bytes, entry: AuditEntry) -> bytes:
    """Return the hash of an entry. `previous`: the hash of the previous entry, 32 bytes."""
    return sha256(previous + entry.canonical()).digest()


def chained(
    head: ChainHead, client_id: str, notes: Iterable[Note], now: datetime, new_id: NewId
) -> tuple[ChainLink, ...]:
    """Return the notes as the next entries of the chain."""
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
    """Follows one chain from its start to its head, and reports each fault found.

    `anchors`: the anchors of this chain. A fault is reported once: the walk continues from the
    entries that exist.
    """

    def __init__(self, client_id: str, anchors: Iterable[Anchor] = ()) -> None:
        self._client_id = client_id
        self._anchors: dict[int, set[bytes]] = {}
        for anchor in anchors:
            self._anchors.setdefault(anchor.seq, set()).add(anchor.hash)
        self._last = START
        self.entries = 0

    def follow(self, links: Sequence[ChainLink]) -> Iterator[Fault]:
        """Check the next entries, in order of their sequence numbers, and yield the faults."""
        for link in links:
            self.entries += 1
            yield from self._step(link)

    def _step(self, link: ChainLink) -> Iterator[Fault]:
        seq, expected = link.entry.seq, self._last.seq + 1
        if seq < expected:  # sequence numbers are unique, so this entry is before the first
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
        """Check the end of the chain, and yield the faults.

        `head`: the head stored next to the entries, or None if it is gone.
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
    """A digest of anchors, which are added in the order of their clients and sequence numbers."""

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

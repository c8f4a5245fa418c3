"""Verify the audit log. Each chain is read from its start to its head."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from domain.audit.chain import Anchor, ChainWalk, Fault
from store.audit.chains import ChainRepository
from store.core.database import Database

_PAGE: Final = 1_000
# The number of reported faults is limited. A chain that was replaced from its first entry has a
# fault at every entry.
_MAX_FAULTS: Final = 100


@dataclass(frozen=True, slots=True)
class VerifiedChain:
    """The result for one audit chain. `faults` is the first `_MAX_FAULTS` faults found."""

    client_id: str
    entries: int
    faults: tuple[Fault, ...]


async def verify_chains(
    database: Database,
    client_id: str | None = None,
    kept: Mapping[str, Sequence[Anchor]] | None = None,
    *,
    page: int = _PAGE,
) -> AsyncIterator[VerifiedChain]:
    """Verify the audit chain of one client, or of all clients one at a time.

    `kept` are the checkpoints stored outside the service. A client that has only these checkpoints
    is verified too. Pages are read in short transactions, so entries may be appended meanwhile.
    Raises EngineUnavailable.
    """
    elsewhere = kept or {}
    if client_id is not None:
        yield await _verify(database, client_id, elsewhere.get(client_id, ()), page)
        return
    gone = set(elsewhere)
    after = ""
    while (found := await _next_chain(database, after)) is not None:
        yield await _verify(database, found, elsewhere.get(found, ()), page)
        gone.discard(found)
        after = found
    for one in sorted(gone):
        yield await _verify(database, one, elsewhere[one], page)


async def _next_chain(database: Database, after: str) -> str | None:
    async with database.reading_across() as connection:
        return await ChainRepository(connection).next_chain(after)


async def _verify(
    database: Database, client_id: str, kept: Sequence[Anchor], size: int
) -> VerifiedChain:
    async with database.reading_across() as connection:
        anchors = await ChainRepository(connection).anchors(client_id)
    walk = ChainWalk(client_id, (*anchors, *kept))
    faults: list[Fault] = []
    after: int | None = None
    while True:
        async with database.reading_across() as connection:
            chains = ChainRepository(connection)
            # The head is read before the page, so every entry up to the head is in this page or in
            # an earlier one.
            head = await chains.head(client_id)
            links = await chains.links(client_id, after=after, limit=size)
        if not links:
            break
        faults += walk.follow(links)
        del faults[_MAX_FAULTS:]
        after = links[-1].entry.seq
    faults += walk.end(head)
    return VerifiedChain(client_id, walk.entries, tuple(faults))

"""Verification: detects changes by a superuser, whom no permission or trigger restricts."""

import asyncio
from dataclasses import dataclass
from datetime import date

import psycopg
import pytest
import sqlalchemy as sa
from psycopg import sql
from psycopg.errors import InsufficientPrivilege
from sqlalchemy.exc import ProgrammingError

from domain.audit.chain import Anchor, Fault, FaultKind
from services.audit.verification import VerifiedChain, verify_chains
from store.audit.chains import ChainRepository
from store.audit.tables import audit_anchors, audit_entries, audit_heads
from store.core.database import Database
from tests.support.audit.chains import ANNA, tamper
from tests.support.core.postgres import as_owner
from tests.support.core.rows import only_row
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop, open_shop

LENGTH = 9


@pytest.fixture
async def chain(database: Database, shop: Shop) -> Shop:
    """A client with an audit chain."""
    async with units_on(database).of(shop.tenant) as work:
        for number in range(LENGTH):
            work.note(ANNA, "key created", key_id=f"key-{number}")
    return shop


async def told(
    database: Database, shop: Shop, *anchors: Anchor, page: int = 4
) -> list[tuple[FaultKind, int, int]]:
    kept = {shop.client_id: anchors}
    (found,) = [one async for one in verify_chains(database, shop.client_id, kept, page=page)]
    return [(fault.kind, fault.first, fault.last) for fault in found.faults]


async def anchor_all(database: Database) -> None:
    async with database.service() as connection:
        await ChainRepository(connection).anchor_some(date(2026, 11, 22), after="", limit=10_000)


@dataclass(frozen=True)
class Case:
    """A change to a client's rows and the reported findings, at one or more entries."""

    statement: str
    told: tuple[tuple[FaultKind, int, int], ...]


CASES = {
    "a word is changed": Case(
        "UPDATE audit_entries SET what = 'nothing' WHERE {one}", ((FaultKind.CHANGED, 5, 5),)
    ),
    "an id is changed": Case(
        "UPDATE audit_entries SET ids = '{{\"key_id\": \"x\"}}' WHERE {one}",
        ((FaultKind.CHANGED, 5, 5),),
    ),
    "ids are no object": Case(
        "UPDATE audit_entries SET ids = '[1, null]' WHERE {one}", ((FaultKind.CHANGED, 5, 5),)
    ),
    "a time that Python has not": Case(
        "UPDATE audit_entries SET at = 'infinity' WHERE {one}", ((FaultKind.CHANGED, 5, 5),)
    ),
    "a time before Christ": Case(
        "UPDATE audit_entries SET at = '4000-01-01 BC' WHERE {one}", ((FaultKind.CHANGED, 5, 5),)
    ),
    "an actor of no kind": Case(
        "UPDATE audit_entries SET actor_kind = 'ghost' WHERE {one}", ((FaultKind.CHANGED, 5, 5),)
    ),
    "a hash of no length": Case(
        "UPDATE audit_entries SET hash = '' WHERE {one}",
        ((FaultKind.CHANGED, 5, 5), (FaultKind.UNLINKED, 6, 6)),
    ),
    "one is removed": Case("DELETE FROM audit_entries WHERE {one}", ((FaultKind.MISSING, 5, 5),)),
    "some are removed": Case(
        "DELETE FROM audit_entries WHERE client_id = '{id}' AND seq IN (1, 2, 6)",
        ((FaultKind.MISSING, 1, 2), (FaultKind.MISSING, 6, 6)),
    ),
    "two change places": Case(
        "UPDATE audit_entries SET seq = 0 WHERE client_id = '{id}' AND seq = 4;"
        "UPDATE audit_entries SET seq = 4 WHERE client_id = '{id}' AND seq = 5;"
        "UPDATE audit_entries SET seq = 5 WHERE client_id = '{id}' AND seq = 0",
        (
            (FaultKind.UNLINKED, 4, 4), (FaultKind.CHANGED, 4, 4), (FaultKind.UNLINKED, 5, 5),
            (FaultKind.CHANGED, 5, 5), (FaultKind.UNLINKED, 6, 6),
        ),
    ),
    "one before the first": Case(
        "UPDATE audit_entries SET seq = -3 WHERE client_id = '{id}' AND seq = 5",
        ((FaultKind.INSERTED, -3, -3), (FaultKind.MISSING, 5, 5)),
    ),
    "the tail is cut": Case(
        "DELETE FROM audit_entries WHERE client_id = '{id}' AND seq > 5", ((FaultKind.CUT, 6, 9),)
    ),
    "all is removed but the head": Case(
        "DELETE FROM audit_entries WHERE client_id = '{id}'", ((FaultKind.CUT, 1, 9),)
    ),
    "the head is removed": Case(
        "DELETE FROM audit_heads WHERE client_id = '{id}'", ((FaultKind.HEAD, 9, 9),)
    ),
    "the head is another": Case(
        "UPDATE audit_heads SET hash = '\\x00' WHERE client_id = '{id}'", ((FaultKind.HEAD, 9, 9),)
    ),
    "the head stands before the end": Case(
        "UPDATE audit_heads SET seq = 7 WHERE client_id = '{id}'", ((FaultKind.INSERTED, 8, 9),)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
async def test_what_is_done_to_the_rows_is_named(
    database: Database, chain: Shop, database_url: str, name: str
) -> None:
    assert await told(database, chain) == []

    one = f"client_id = '{chain.client_id}' AND seq = 5"
    tamper(database_url, CASES[name].statement.format(id=chain.client_id, one=one))

    for page in (1, 4, 100):
        assert tuple(await told(database, chain, page=page)) == CASES[name].told, page


CUT = (
    "DELETE FROM audit_entries WHERE client_id = '{id}' AND seq > 5",
    "UPDATE audit_heads SET seq = 5, hash = (SELECT hash FROM audit_entries AS e"
    " WHERE e.client_id = '{id}' AND e.seq = 5) WHERE client_id = '{id}'",
)
ALL_ANCHORS = "DELETE FROM audit_anchors WHERE client_id = '{id}'"


async def test_a_tail_that_is_cut_with_its_head_is_told_by_anchors(
    database: Database, chain: Shop, database_url: str
) -> None:
    """Through anchors in the database, or through externally stored ones if those are removed
    too."""
    await anchor_all(database)
    async with database.reading_across() as connection:
        kept = await ChainRepository(connection).anchors(chain.client_id)
    assert [one.seq for one in kept] == [LENGTH]

    tamper(database_url, *(one.format(id=chain.client_id) for one in CUT))
    assert await told(database, chain) == [(FaultKind.CUT, 6, 9)]

    tamper(database_url, ALL_ANCHORS.format(id=chain.client_id))
    assert await told(database, chain) == []
    assert await told(database, chain, *kept) == [(FaultKind.CUT, 6, 9)]

    # The chain has grown past the position again, with other entries.
    async with units_on(database).of(chain.tenant) as work:
        for _ in range(6):
            work.note(ANNA, "key created")
    assert await told(database, chain) == []
    assert await told(database, chain, *kept) == [(FaultKind.REPLACED, 9, 9)]


LEFT = (
    "DELETE FROM audit_heads WHERE client_id NOT IN ('{sound}', 'all')",
    "DELETE FROM audit_entries WHERE client_id IN ('{cut}', '{gone}')",
    "DELETE FROM audit_anchors WHERE client_id = '{gone}'",
)


@pytest.mark.own_database
async def test_every_chain_is_walked(database: Database, shop: Shop, database_url: str) -> None:
    """Including chains of which only entries, only anchors or only external anchors are left."""
    shops = sorted(
        [shop, *[await open_shop(database) for _ in range(3)]], key=lambda x: x.client_id
    )
    for one in shops:
        async with units_on(database).of(one.tenant) as work:
            work.note(ANNA, "key created")
    async with units_on(database).everywhere() as work:
        work.note(ANNA, "resealed")
    await anchor_all(database)
    of = {one.client_id: Anchor(one.client_id, 1, bytes(32)) for one in shops}
    sound, headless, cut, gone = shops
    names = {"sound": sound.client_id, "cut": cut.client_id, "gone": gone.client_id}
    tamper(database_url, *(one.format(**names) for one in LEFT))

    kept = {gone.client_id: [of[gone.client_id]]}
    found = [one async for one in verify_chains(database, kept=kept)]

    def fault(one: Shop, kind: FaultKind) -> VerifiedChain:
        entries = int(kind is FaultKind.HEAD)
        return VerifiedChain(one.client_id, entries, (Fault(one.client_id, kind, 1, 1),))

    assert found == [
        VerifiedChain(sound.client_id, 1, ()),
        fault(headless, FaultKind.HEAD),
        fault(cut, FaultKind.CUT),
        VerifiedChain("all", 1, ()),
        fault(gone, FaultKind.CUT),
    ]


async def test_entries_that_come_meanwhile_are_no_fault(database: Database, chain: Shop) -> None:
    enough = asyncio.Event()

    async def write() -> int:
        written = 0
        while not enough.is_set():
            async with units_on(database).of(chain.tenant) as work:
                work.note(ANNA, "key created")
            written += 1
        return written

    writing = asyncio.create_task(write())
    for _ in range(5):
        assert await told(database, chain, page=3) == []
    enough.set()
    assert await writing > 0


@pytest.mark.parametrize("table", [audit_entries, audit_anchors])
@pytest.mark.parametrize("across", [False, True])
async def test_the_service_can_change_and_remove_nothing(
    database: Database, chain: Shop, table: sa.Table, *, across: bool
) -> None:
    await anchor_all(database)
    for statement in (
        sa.update(table).values(hash=b"x"),
        sa.delete(table),
        sa.text(f"TRUNCATE {table.name}"),
    ):
        opened = database.service() if across else database.tenant(chain.tenant)
        with pytest.raises(ProgrammingError) as refused:
            async with opened as connection:
                await connection.execute(statement)
        assert isinstance(refused.value.orig, InsufficientPrivilege)
    with pytest.raises(ProgrammingError):
        async with database.service() as connection:
            await connection.execute(sa.delete(audit_heads))


@pytest.mark.parametrize("table", ["audit_entries", "audit_anchors"])
async def test_an_owner_cannot_by_mistake(
    database: Database, chain: Shop, database_url: str, table: str
) -> None:
    """A superuser, whom permissions do not restrict."""
    await anchor_all(database)
    for statement in ("UPDATE {} SET hash = ''", "DELETE FROM {}", "TRUNCATE {}"):
        with (
            psycopg.connect(as_owner(database_url)) as owner,
            pytest.raises(InsufficientPrivilege, match="append-only"),
        ):
            owner.execute(sql.SQL(statement).format(sql.Identifier(table)))
    assert (await only_row(database, audit_heads, of=chain))["seq"] == LENGTH

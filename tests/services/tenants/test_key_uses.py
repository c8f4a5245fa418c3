"""The last use of keys: kept in memory, bounded, written in batches, and never lost."""

import asyncio
from datetime import timedelta

from adapters.system import utc_now
from api.key_uses import written
from services.tenants.key_uses import KeyUses
from store.core.database import Database
from store.tenants.keys import KeyEntry, KeyRepository
from tests.support.core.engine import database_away
from tests.support.core.waiting import eventually
from tests.support.tenants.shop import Shop, open_shop

HERE, THERE = "198.51.100.0/24", "2001:db8::/48"


async def key_of(database: Database, shop: Shop) -> KeyEntry:
    async with database.reading(shop.tenant) as connection:
        return await KeyRepository(connection).read(shop.client_id, shop.key_id)


async def test_the_last_use_is_written(database: Database, shop: Shop) -> None:
    uses, now, other = KeyUses(database), utc_now(), await open_shop(database)
    uses.note(shop.key_id, HERE, now - timedelta(seconds=1))
    uses.note(shop.key_id, THERE, now)
    uses.note(other.key_id, HERE, now)
    uses.note("no such key", HERE, now)
    await uses.write()

    found = await key_of(database, shop)
    assert (found.last_used_at, found.last_used_from) == (now, THERE)
    assert (await key_of(database, other)).last_used_from == HERE

    # Another process wrote later.
    late = KeyUses(database)
    late.note(shop.key_id, HERE, now - timedelta(minutes=1))
    await late.write()
    assert await key_of(database, shop) == found


async def test_many_processes_write_at_once(database: Database) -> None:
    """Each writes the same keys in its own order: no deadlock occurs."""
    shops, now = [await open_shop(database) for _ in range(6)], utc_now()
    processes = [KeyUses(database) for _ in range(6)]
    for number, uses in enumerate(processes):
        for shop in [*shops[number:], *shops[:number]]:
            uses.note(shop.key_id, HERE, now + timedelta(seconds=number))
    await asyncio.gather(*(uses.write() for uses in processes))

    latest = now + timedelta(seconds=5)
    assert {(await key_of(database, shop)).last_used_at for shop in shops} == {latest}


async def test_no_more_keys_than_there_is_room_for(database: Database, shop: Shop) -> None:
    other = await open_shop(database)
    uses, now = KeyUses(database, max_keys=1), utc_now()
    uses.note(shop.key_id, HERE, now)
    uses.note(other.key_id, HERE, now)
    uses.note(shop.key_id, THERE, now)
    await uses.write()

    assert (await key_of(database, shop)).last_used_from == THERE
    assert (await key_of(database, other)).last_used_from is None
    uses.note(other.key_id, HERE, now)
    await uses.write()
    assert (await key_of(database, other)).last_used_from == HERE


async def test_while_the_database_is_away(database: Database, shop: Shop) -> None:
    """Uses are kept in memory, and do not overwrite a later use."""
    uses, now = KeyUses(database), utc_now()
    uses.note(shop.key_id, HERE, now)
    with database_away(database):
        await uses.write()
    uses.note(shop.key_id, THERE, now + timedelta(seconds=1))
    with database_away(database):
        await uses.write()
    await uses.write()

    assert (await key_of(database, shop)).last_used_from == THERE


async def test_written_now_and_then_and_at_the_end(database: Database, shop: Shop) -> None:
    now = utc_now()

    async def seen(network: str) -> bool:
        return (await key_of(database, shop)).last_used_from == network

    async with written(uses := KeyUses(database, written_every_s=0.01)):
        uses.note(shop.key_id, HERE, now)
        await eventually(lambda: seen(HERE))
    async with written(uses := KeyUses(database)):
        uses.note(shop.key_id, THERE, now + timedelta(seconds=1))

    assert await seen(THERE)

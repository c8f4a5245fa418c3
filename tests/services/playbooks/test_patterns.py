"""Which playbook owns a pattern, and the remains of a deleted one."""

import asyncio

import pytest

from domain.playbooks.errors import PatternTaken, PlaybookNotFound
from services.playbooks.playbooks import delete_playbook
from store.core.database import Database
from store.playbooks.playbooks import PlaybookRepository
from tests.services.playbooks.test_playbooks import (
    NOTES,
    OTHER,
    OWNER,
    SPEC,
    bring_in,
    changed,
    everything,
    named,
    switch,
)
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop


async def test_a_pattern_has_one_playbook_that_is_on(database: Database, shop: Shop) -> None:
    """However the second one would be activated; a rejected change has no effect."""
    await bring_in(database, shop, [SPEC, changed(name="Off", active=False)])
    off = (await named(database, shop, "Off")).playbook.id
    before = await everything(database, shop)

    for refused in (
        bring_in(database, shop, [changed(name="New")]),
        bring_in(database, shop, [changed(name="Off")]),
        bring_in(database, shop, [OTHER, changed(name="Off", active=True)]),
        switch(database, shop, off, active=True),
    ):
        with pytest.raises(PatternTaken, match=SPEC.name):
            await refused
    assert await everything(database, shop) == before

    # The same import deactivates one and activates the other.
    await bring_in(database, shop, [changed(active=False), changed(name="Off")])
    assert (await named(database, shop, "Off")).is_active


async def test_of_many_at_once_one_gets_the_pattern(database: Database, shop: Shop) -> None:
    specs = [changed(name=f"P{number}") for number in range(6)]
    done = await asyncio.gather(
        *(bring_in(database, shop, [spec]) for spec in specs), return_exceptions=True
    )

    assert sum(isinstance(one, PatternTaken) for one in done) == 5
    assert len(await everything(database, shop)) == 2


async def test_a_deleted_one_is_gone_and_its_versions_stay(database: Database, shop: Shop) -> None:
    await bring_in(database, shop, [SPEC])
    gone = (await named(database, shop)).playbook.id
    async with units_on(database).of(shop.tenant) as work:
        await delete_playbook(work, OWNER, gone)
        for again in (delete_playbook(work, OWNER, gone), delete_playbook(work, OWNER, "none")):
            with pytest.raises(PlaybookNotFound):
                await again
    with pytest.raises(PlaybookNotFound):
        await switch(database, shop, gone, active=True)

    assert await bring_in(database, shop, [SPEC]) == [("created", 1)]
    assert (await named(database, shop)).playbook.id != gone
    async with database.tenant(shop.tenant) as connection:
        assert await PlaybookRepository(connection, shop.tenant).rulebook(gone, 1) == NOTES

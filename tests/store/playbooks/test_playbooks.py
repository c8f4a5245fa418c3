"""The rows of playbooks: each client has its own."""

import pytest

from adapters.system import utc_now
from domain.agent.plan import ActionKind
from domain.agent.procedure import Procedure
from domain.agent.rulebook import ActionLevel, ActionRule, Rulebook
from domain.playbooks.errors import PlaybookNotFound
from store.core.database import Database
from store.playbooks.playbooks import PlaybookRepository, client_of
from store.playbooks.tables import playbook_versions
from tests.support.core.rows import only_row
from tests.support.tenants.shop import Shop, open_shop

NOTES = Rulebook(actions={ActionKind.NOTE: ActionRule(level=ActionLevel.AUTONOMOUS)})


async def test_clients_have_their_own(database: Database, shop: Shop) -> None:
    other = await open_shop(database, rulebook=NOTES)
    # Without row-level security, which would hide the other client's rows.
    async with database.service() as connection:
        assert await client_of(connection, shop.playbook_id) == shop.tenant
        mine = PlaybookRepository(connection, shop.tenant)
        theirs = PlaybookRepository(connection, other.tenant)
        assert await theirs.rulebook(other.playbook_id, 1) == NOTES
        with pytest.raises(PlaybookNotFound):
            await mine.rulebook(other.playbook_id, 1)
        with pytest.raises(PlaybookNotFound):
            await mine.switch(other.playbook_id, active=False)
        (entry,) = await theirs.all()
        with pytest.raises(PlaybookNotFound):
            await mine.update(entry.playbook, now=utc_now(), rulebook=NOTES)


async def test_a_version_that_is_not_there(database: Database, shop: Shop) -> None:
    async with database.reading(shop.tenant) as connection:
        with pytest.raises(PlaybookNotFound):
            await PlaybookRepository(connection, shop.tenant).rulebook(shop.playbook_id, 2)


async def test_an_empty_procedure_is_not_stored(database: Database) -> None:
    """The previous version of the service rejects the unknown field."""
    steps = Rulebook(procedure=Procedure(steps=("Greet.",)))
    for rulebook, is_stored in ((NOTES, False), (steps, True)):
        shop = await open_shop(database, rulebook=rulebook)
        stored = (await only_row(database, playbook_versions, of=shop))["rulebook"]
        assert ("procedure" in stored) is is_stored
        async with database.reading(shop.tenant) as connection:
            read = await PlaybookRepository(connection, shop.tenant).rulebook(shop.playbook_id, 1)
        assert read == rulebook

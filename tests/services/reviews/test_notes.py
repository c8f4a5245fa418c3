"""Internal notes: permissions, audit entries, and no access for the agent."""

import pytest
from structlog.testing import capture_logs

from adapters.system import new_ulid
from domain.core.errors import InvalidInput
from domain.runs.errors import ConversationNotFound
from domain.runs.teammate_reply import MAX_INTERNAL_NOTE
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import RoleRequired
from services.reviews.notes import add_note
from services.reviews.takeovers import take_over
from store.core.database import Database
from store.runs.cases import CaseRepository
from store.runs.conversations import ConversationRepository
from store.runs.internal_notes import InternalNoteRepository
from store.runs.tables import conversation_notes, engine_messages
from tests.support.core.rows import only_row, rows
from tests.support.core.units import units_on
from tests.support.reviews.replies import ANNA, BEN, conversation_of
from tests.support.runs.conversation import write
from tests.support.tenants.shop import Shop, open_shop

TEXT = "Elle appelle demain, ne rien promettre."


async def test_a_note_is_stored_and_noted_without_its_text(database: Database, shop: Shop) -> None:
    ref = await write(database, shop)
    conversation_id = await conversation_of(database, ref.event_id)
    with capture_logs() as logs:
        async with units_on(database).of(shop.tenant) as work:
            await take_over(work, BEN, conversation_id)
            note = await add_note(work, ANNA, conversation_id, TEXT)
    row = await only_row(database, conversation_notes, of=shop)
    assert (row["id"], row["author"], row["body"], row["event_id"]) == (
        note.id,
        ANNA.name,
        TEXT,
        ref.event_id,
    )
    (noted,) = [one for one in logs if one["event"] == "note added"]
    assert (noted["user_id"], noted["note_id"]) == (ANNA.name, note.id)
    assert TEXT not in str(logs)


async def test_the_agent_never_reads_a_note(database: Database, shop: Shop) -> None:
    ref = await write(database, shop)
    conversation_id = await conversation_of(database, ref.event_id)
    async with units_on(database).of(shop.tenant) as work:
        note = await add_note(work, ANNA, conversation_id, TEXT)
        await ConversationRepository(work.connection, shop.tenant).remember(ref.event_id, work.now)
        case = await CaseRepository(work.connection, shop.tenant).read(ref.run_id)
        notes = InternalNoteRepository(work.connection, shop.tenant)
        assert await notes.listed(conversation_id, since=None, limit=9) == (note,)
    assert TEXT not in str(case)
    assert len(await rows(database, engine_messages, of=shop)) == 1


@pytest.mark.parametrize("actor", [Actor.person("v", Role.VIEWER), Actor.key("k")])
async def test_who_may_not(database: Database, shop: Shop, actor: Actor) -> None:
    ref = await write(database, shop)
    conversation_id = await conversation_of(database, ref.event_id)
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(RoleRequired):
            await add_note(work, actor, conversation_id, TEXT)


async def test_what_is_no_note(database: Database, shop: Shop) -> None:
    ref = await write(database, shop)
    conversation_id = await conversation_of(database, ref.event_id)
    async with units_on(database).of(shop.tenant) as work:
        for text in ("", "  ", "x" * (MAX_INTERNAL_NOTE + 1)):
            with pytest.raises(InvalidInput):
                await add_note(work, ANNA, conversation_id, text)
        with pytest.raises(ConversationNotFound):
            await add_note(work, ANNA, new_ulid(), TEXT)
    stranger = await open_shop(database)
    async with units_on(database).of(stranger.tenant) as work:
        with pytest.raises(ConversationNotFound):
            await add_note(work, ANNA, conversation_id, TEXT)

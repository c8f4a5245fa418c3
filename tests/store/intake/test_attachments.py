"""Attachments: stored in chunks, listed in order, and isolated by client."""

import pytest
import sqlalchemy as sa

from domain.core.attached_file import AttachedFile
from domain.intake.attachment import (
    AttachmentState,
)
from domain.intake.errors import AttachmentNotFound
from domain.tenants.client import Plan
from store.core.database import Database
from store.intake import attachments
from store.intake.attachment_bytes import AttachmentBytes
from store.intake.attachments import CHUNK, AttachmentRepository
from store.runs.tables import engine_messages
from tests.support.core.rows import owned
from tests.support.intake.admission import admit_event, on_plan
from tests.support.intake.attachments import INVOICE, PHOTO, PROGRAM, keep_attachments, png
from tests.support.tenants.shop import Shop, open_shop


async def test_files_are_kept_whole_and_in_their_order(database: Database, shop: Shop) -> None:
    event_id = (await admit_event(database, shop)).ref.event_id
    large = AttachedFile("../grand.png", "image/png", png(padding=3 * CHUNK))

    kept = await keep_attachments(database, shop.tenant, event_id, large, PROGRAM, INVOICE)

    async with database.reading(shop.tenant) as connection:
        repository = AttachmentRepository(connection, shop.tenant)
        assert await repository.of_event(event_id) == kept
        pieces = [piece async for piece in repository.chunks(kept[0].id)]
        nothing = [piece async for piece in repository.chunks(kept[1].id)]
    assert b"".join(pieces) == large.data
    assert [len(piece) for piece in pieces[:3]] == [CHUNK] * 3
    assert nothing == []
    assert [(one.name, one.state, one.reason) for one in kept] == [
        ("grand.png", AttachmentState.STORED, None),
        ("facture.pdf", AttachmentState.REFUSED, "executable"),
        ("facture.pdf", AttachmentState.STORED, None),
    ]


async def test_a_day_has_room_for_so_much(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    event_id = (await admit_event(database, shop)).ref.event_id
    monkeypatch.setattr(attachments, "MAX_DAY_BYTES", 2 * len(PHOTO.data) + 1)
    await keep_attachments(database, shop.tenant, event_id, PHOTO)

    kept = await keep_attachments(database, shop.tenant, event_id, PROGRAM, PHOTO, PHOTO)

    assert [one.reason for one in kept] == ["executable", None, "too_much"]
    async with database.reading(shop.tenant) as connection:
        assert await AttachmentBytes(connection, shop.tenant).kept() == 2 * len(PHOTO.data)


async def test_without_a_plan_a_day_has_less_room(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    await on_plan(database, shop, Plan.FREE)
    event_id = (await admit_event(database, shop)).ref.event_id
    size = len(PHOTO.data)
    monkeypatch.setattr(attachments, "MAX_DAY_BYTES_WITHOUT_PLAN", 2 * size)
    monkeypatch.setattr(attachments, "MAX_DAY_UNPROVED_BYTES_WITHOUT_PLAN", size - 1)

    claimed = await keep_attachments(database, shop.tenant, event_id, PHOTO, is_unproved=True)
    kept = await keep_attachments(database, shop.tenant, event_id, PHOTO, PHOTO, PHOTO)

    assert [one.reason for one in (*claimed, *kept)] == ["too_much", None, None, "too_much"]


async def test_unproved_senders_have_a_part_of_the_day(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Strangers' photos do not use the storage for customers."""
    monkeypatch.setattr(attachments, "MAX_DAY_UNPROVED_BYTES", len(PHOTO.data))
    proved = (await admit_event(database, shop)).ref.event_id
    claimed = (await admit_event(database, shop)).ref.event_id
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(engine_messages)
            .where(owned(engine_messages, shop), engine_messages.c.event_id == claimed)
            .values(is_claim=True)
        )
    await keep_attachments(database, shop.tenant, proved, PHOTO)

    kept = await keep_attachments(database, shop.tenant, claimed, PHOTO, INVOICE, is_unproved=True)
    later = await keep_attachments(database, shop.tenant, proved, PHOTO)

    assert [one.reason for one in (*kept, *later)] == [None, "too_much", None]


async def test_another_clients_file_is_no_file(database: Database, shop: Shop) -> None:
    event_id = (await admit_event(database, shop)).ref.event_id
    (kept,) = await keep_attachments(database, shop.tenant, event_id, PHOTO)
    other = await open_shop(database)

    async with database.reading(other.tenant) as connection:
        repository = AttachmentRepository(connection, other.tenant)
        assert await repository.of_event(event_id) == ()
        assert await repository.chunk(kept.id, 0) is None
        with pytest.raises(AttachmentNotFound):
            await repository.read(kept.id)

"""Decided tickets and own heads for tests."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.agent.brain import Category
from domain.learning.own_head_trial import HeldBackCount, Lesson, OwnHeadState, TriedHead
from store.core.database import Database
from store.learning.own_heads import OwnHeadRepository
from store.learning.tables import labelled_examples
from tests.support.tenants.shop import Shop

MODEL = "m" * 64
USED = TriedHead(
    HeldBackCount(tickets=200, won=40, lost=10, both_right=120), OwnHeadState.USED, b"weights"
)


async def add_examples(
    database: Database, shop: Shop, lessons: Sequence[tuple[str, Category]]
) -> list[str]:
    """Add labelled examples with these texts and categories. Return their ids."""
    now, ids = utc_now(), [new_ulid() for _ in lessons]
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.insert(labelled_examples),
            [
                {
                    "client_id": shop.client_id,
                    "id": example_id,
                    "text": text,
                    "language": "fr",
                    "classification": classification.value,
                    "labelled_by": "anna",
                    "created_at": now,
                }
                for example_id, (text, classification) in zip(ids, lessons, strict=True)
            ],
        )
    return ids


async def lessons_of(database: Database, shop: Shop) -> Sequence[Lesson]:
    async with database.reading(shop.tenant) as connection:
        return await OwnHeadRepository(connection, shop.tenant).lessons()


async def keep_head(
    database: Database,
    shop: Shop,
    tried: TriedHead = USED,
    *,
    lessons: Sequence[Lesson] = (),
    model: str = MODEL,
    now: datetime | None = None,
) -> str:
    """Store a head as the client's latest version. Return its id."""
    head_id = new_ulid()
    async with database.tenant(shop.tenant) as connection:
        heads = OwnHeadRepository(connection, shop.tenant)
        assert await heads.keep(head_id, tried, lessons, model=model, now=now or utc_now())
    return head_id

"""Lessons from decided reviews, and a customer's rating."""

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.system import new_ulid, utc_now
from domain.agent.brain import Category
from domain.agent.intent import Intent
from domain.core.ids import TenantId
from domain.learning.correction import CorrectionState
from domain.learning.labelled_example import LabelledExample
from domain.ratings.rating import GivenRating, RatingChannel
from store.learning.corrections import CorrectionRepository
from store.learning.labelled_examples import LabelledExampleRepository
from store.ratings.ratings import RatingRepository
from store.reviews.tables import escalation_tickets


async def taught(connection: AsyncConnection, tenant: TenantId, *, words: str) -> None:
    """Create corrections for all decided reviews, one accepted with an example, and a rating of its
    answer. `words` is the text of the example and the comment."""
    now = utc_now()
    queue = CorrectionRepository(connection, tenant)
    tickets = escalation_tickets.c
    reviews = await connection.execute(
        sa.select(tickets.id, tickets.run_id)
        .where(tickets.client_id == tenant, tickets.decision.is_not(None))
        .order_by(tickets.id)
    )
    noted = [(new_ulid(), row.id, row.run_id) for row in reviews]
    for correction_id, review_id, _ in noted:
        assert await queue.note(correction_id, review_id, now)
    correction_id, _, run_id = noted[0]
    await queue.decide(correction_id, CorrectionState.ACCEPTED, "anna", now)
    await queue.made(
        correction_id, case_id=new_ulid(), content_kind="knowledge", content_id=new_ulid()
    )
    await LabelledExampleRepository(connection, tenant).put(
        LabelledExample(
            id=new_ulid(),
            run_id=run_id,
            text=words,
            language="fr",
            classification=Category.OTHER,
            intent=Intent.RETURN,
            labelled_by="anna",
            created_at=now,
        )
    )
    given = GivenRating(2, words)
    assert await RatingRepository(connection, tenant).put(
        new_ulid(), run_id, given, RatingChannel.MAIL, now
    )

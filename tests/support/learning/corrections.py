"""Corrections, as a decided review leaves them."""

from collections.abc import Mapping, Sequence
from typing import Final

import sqlalchemy as sa

from domain.agent.brain import Category
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import ActionKind, PlannedAction
from domain.intake.event import Channel, UnifiedEvent
from domain.learning.correction import CorrectionLesson
from domain.tenants.actor import Actor
from services.learning.corrections import accept_correction
from services.reviews.decisions import edit_review, reject_review
from store.core.database import Database
from store.intake.tables import engine_events
from store.learning.tables import corrections
from store.reviews.escalations import RUN_OF_TICKET
from store.reviews.tables import escalation_tickets
from store.runs.tables import engine_runs
from tests.support.core.rows import only_row
from tests.support.core.units import units_on
from tests.support.intake.proof import proved
from tests.support.reviews.reviews import DRAFT, open_review
from tests.support.tenants.shop import Shop

SENT: Final = "Bonjour, le retour est gratuit pendant 30 jours."
OPERATOR: Final = Actor.operator("operator:ben")


async def corrected(
    database: Database,
    shop: Shop,
    *,
    sent: str | None = SENT,
    text: str = "Les retours sont-ils gratuits ?",
    customer: str = "zoe@x.fr",
    reason: EscalationReason = EscalationReason.LOW_CONFIDENCE,
    plan: tuple[PlannedAction, ...] = (PlannedAction(kind=ActionKind.REPLY),),
    draft: str = DRAFT,
    language: str | None = None,
    citations: Sequence[Mapping[str, str]] = (),
) -> str:
    """Create a correction from a new review, and return its id. `sent` is the text that was sent,
    or None for a rejected draft."""
    review_id = await open_review(
        database,
        shop,
        text=text,
        draft=draft,
        reason=reason,
        handoff_reason=reason.value,
        plan=plan,
        language=language,
        citations=list(citations),
    )
    unified = UnifiedEvent(
        channel=Channel.API, text=text, customer_email=customer, proved=proved(customer)
    )
    async with database.tenant(shop.tenant) as connection:
        event_id = await connection.scalar(
            sa.select(engine_runs.c.event_id)
            .join(escalation_tickets, RUN_OF_TICKET)
            .where(escalation_tickets.c.id == review_id)
        )
        await connection.execute(
            sa.update(engine_events)
            .where(engine_events.c.id == event_id)
            .values(unified=unified.model_dump(mode="json"), customer_email=customer)
        )
    async with units_on(database).of(shop.tenant) as work:
        if sent is None:
            await reject_review(work, OPERATOR, review_id, "Trop cher.")
        else:
            await edit_review(work, OPERATOR, review_id, sent)
    row = await only_row(database, corrections, client_id=shop.client_id, review_id=review_id)
    return str(row["id"])


async def labelled(database: Database, shop: Shop) -> str:
    """Create a labelled example from an accepted correction, and return its id."""
    correction_id = await corrected(database, shop)
    lesson = CorrectionLesson(classification=Category.OTHER)
    async with units_on(database).of(shop.tenant) as work:
        return (await accept_correction(work, OPERATOR, correction_id, lesson)).example_id

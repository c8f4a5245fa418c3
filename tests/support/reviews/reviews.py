"""Reviews as a waiting run leaves them, without a run."""

from datetime import datetime, timedelta

import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import ActionKind, PlannedAction
from domain.agent.policy_decision import PolicyDecision, Ruling
from domain.core.money import Money
from services.intake.admission import Admitted
from store.core.database import Database
from store.intake.tables import engine_events
from store.reviews.escalations import EscalationRepository
from store.runs.tables import engine_runs
from tests.support.intake.admission import try_to_admit
from tests.support.tenants.shop import Shop

DRAFT = "Bonjour, c'est remboursé."


def refund(minor: int, currency: str = "EUR") -> PlannedAction:
    """Return a refund with its resolved values."""
    return PlannedAction(
        kind=ActionKind.REFUND,
        integration_id="01J9ZQ4Z8N3V5X7B2C4D6E8F0G",
        order_id="gid-1",
        order_number="1042",
        amount=Money(minor=minor, currency=currency),
    )


async def open_review(
    database: Database,
    shop: Shop,
    *,
    text: str = "Remboursez-moi !",
    draft: str = DRAFT,
    needs_second: bool = False,
    plan: tuple[PlannedAction, ...] = (PlannedAction(kind=ActionKind.REPLY),),
    reason: EscalationReason = EscalationReason.LOW_CONFIDENCE,
    now: datetime | None = None,
    review_id: str | None = None,
    key_id: str | None = None,
    **run: object,
) -> str:
    """Create a new review, and return its id. `key_id` is the key that sent the event. `run` sets
    further columns of the run."""
    now = now or utc_now()
    admitted = await try_to_admit(database, shop, message=text, now=now, key_id=key_id)
    assert isinstance(admitted, Admitted)
    ruling = Ruling.NEEDS_SECOND if needs_second else Ruling.NEEDS_APPROVAL
    verdicts = [PolicyDecision(kind=action.kind, ruling=ruling) for action in plan]
    values = {
        "status": "needs_review",
        "classification": "refund_request",
        "confidence": 0.5,
        "draft": draft,
        "plan": [action.model_dump(mode="json") for action in plan],
        "verdicts": [verdict.model_dump(mode="json") for verdict in verdicts],
        **run,
    }
    review_id = review_id or new_ulid()
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(
            sa.update(engine_runs).where(engine_runs.c.id == admitted.ref.run_id).values(**values)
        )
        await connection.execute(
            sa.update(engine_events)
            .where(engine_events.c.id == admitted.ref.event_id)
            .values(text=text)
        )
        await EscalationRepository(connection, shop.tenant).open(
            admitted.ref,
            escalation_id=review_id,
            round_=0,
            reason=reason,
            expires_at=now + timedelta(hours=72),
            now=now,
        )
    return review_id

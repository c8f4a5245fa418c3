"""A playbook's finished runs with their reviews, without executing them."""

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.system import new_ulid, utc_now
from domain.agent.brain import Category
from domain.agent.plan import ActionKind, PlannedAction
from domain.learning.comparison import PeopleDid, ShadowThought, compare_with_people
from store.intake.tables import engine_events
from store.learning.tables import shadow_drafts
from store.reviews.tables import escalation_tickets
from store.runs.tables import engine_runs
from tests.support.tenants.shop import Shop


@dataclass(frozen=True)
class LeftRun:
    """A finished run. `review` is the review's status, or None. `edited` means that the review's
    text was replaced."""

    confidence: float
    review: str | None = None
    edited: bool = False
    hold: str | None = None
    classification: str = "other"
    plan: tuple[str, ...] = ("reply",)
    platform: str | None = None


async def leave_run(connection: AsyncConnection, shop: Shop, left: LeftRun) -> str:
    now, event_id, run_id = utc_now(), new_ulid(), new_ulid()
    mine = {"client_id": shop.client_id}
    unified = {"platform": left.platform, "ticket_id": "T-7", "ticket_named": True}
    await connection.execute(
        sa.insert(engine_events).values(
            **mine,
            id=event_id,
            event_type="x",
            outcome="run",
            received_at=now,
            unified=unified if left.platform else None,
        )
    )
    await connection.execute(
        sa.insert(engine_runs).values(
            **mine,
            id=run_id,
            event_id=event_id,
            playbook_id=shop.playbook_id,
            playbook_version=1,
            status="completed",
            received_at=now,
            classification=left.classification,
            confidence=left.confidence,
            hold=left.hold,
            plan=[{"kind": kind} for kind in left.plan],
        )
    )
    if left.review is not None:
        await connection.execute(
            sa.insert(escalation_tickets).values(
                **mine,
                id=new_ulid(),
                run_id=run_id,
                round=0,
                status=left.review,
                reason="low_confidence",
                draft="Bonjour",
                edited_text="Bonsoir" if left.edited else None,
                expires_at=now,
                created_at=now,
            )
        )
    return run_id


async def leave_shadow(
    connection: AsyncConnection,
    shop: Shop,
    thought: ShadowThought,
    *,
    did: PeopleDid | None = None,
    sent: str | None = None,
    platform: str | None = None,
) -> str:
    """Create a run in shadow mode, and return its id. `did` is the human's action, or None if there
    is none yet."""
    left = LeftRun(thought.confidence, "edited", platform=platform)
    run_id = await leave_run(connection, shop, left)
    await _keep_shadow(connection, shop, run_id, thought, did=did, sent=sent)
    return run_id


async def _keep_shadow(
    connection: AsyncConnection,
    shop: Shop,
    run_id: str,
    thought: ShadowThought,
    *,
    did: PeopleDid | None,
    sent: str | None,
) -> None:
    compared = None if did is None else compare_with_people(thought, did, sent)
    await connection.execute(
        sa.insert(shadow_drafts).values(
            client_id=shop.client_id,
            run_id=run_id,
            playbook_id=shop.playbook_id,
            playbook_version=1,
            created_at=utc_now(),
            decision=did,
            sent=sent,
            comparison=None if compared is None else compared.model_dump(mode="json"),
            compared_at=None if compared is None else utc_now(),
            **thought.model_dump(mode="json"),
        )
    )


async def tried(connection: AsyncConnection, shop: Shop, *, words: str) -> None:
    """Create two messages in shadow mode, one of them compared, for existing runs."""
    runs = (
        await connection.scalars(
            sa.select(engine_runs.c.id)
            .where(engine_runs.c.client_id == shop.client_id)
            .order_by(engine_runs.c.id)
            .limit(2)
        )
    ).all()
    thought = ShadowThought(
        classification=Category.OTHER,
        confidence=0.9,
        draft=words,
        plan=(PlannedAction(kind=ActionKind.REPLY, integration_id=new_ulid()),),
    )
    for run_id, is_compared in zip(runs, (True, False), strict=True):
        await _keep_shadow(
            connection,
            shop,
            run_id,
            thought,
            did=PeopleDid.ANSWERED if is_compared else None,
            sent=f"{words} {words}" if is_compared else None,
        )

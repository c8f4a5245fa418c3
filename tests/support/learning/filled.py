"""One row in each table of cases, replays, learning and ratings."""

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.system import new_ulid, utc_now
from domain.core.contracts import RunRef
from domain.core.ids import TenantId
from store.cases.tables import case_results, case_runs, saved_cases
from store.learning.tables import corrections, labelled_examples, own_heads, shadow_drafts
from store.ratings.tables import ratings
from store.reviews.tables import escalation_tickets
from store.runs.tables import engine_runs
from store.simulation.tables import replay_changes, replays


async def fill_learning(connection: AsyncConnection, tenant: TenantId, ref: RunRef) -> None:
    """Insert the rows. `ref` is a run of the client with a review."""
    now = utc_now()
    case_id, case_run_id, replay_id = new_ulid(), new_ulid(), new_ulid()
    run = (
        await connection.execute(
            sa.select(engine_runs.c.playbook_id, engine_runs.c.playbook_version).where(
                engine_runs.c.client_id == tenant, engine_runs.c.id == ref.run_id
            )
        )
    ).one()
    review_id = await connection.scalar(
        sa.select(escalation_tickets.c.id).where(
            escalation_tickets.c.client_id == tenant, escalation_tickets.c.run_id == ref.run_id
        )
    )
    scenario = {"messages": [{"text": "Bonjour"}]}
    started = {"client_id": tenant, "started_by": "user/u", "created_at": now}
    rows: tuple[tuple[sa.Table, dict[str, object]], ...] = (
        (
            saved_cases,
            {
                "id": case_id,
                "name": "case",
                "scenario": scenario,
                "expected": {},
                "origin": "hand",
                "created_by": "user/u",
                "created_at": now,
            },
        ),
        (case_runs, {**started, "id": case_run_id, "state": "done"}),
        (
            case_results,
            {
                "case_run_id": case_run_id,
                "case_id": case_id,
                "digest": b"digest",
                "passed": True,
                "tries": 1,
                "passes": 1,
                "outcome": {"status": "completed"},
                "created_at": now,
            },
        ),
        (
            replays,
            {
                **started,
                "id": replay_id,
                "state": "done",
                "since": now,
                "until": now,
                "budget_micros": 0,
                "budget_s": 60,
            },
        ),
        (
            replay_changes,
            {
                "replay_id": replay_id,
                "event_id": ref.event_id,
                "kind": "now_reviewed",
                "before": {},
                "after": {},
                "draft": "Bonjour",
            },
        ),
        (
            corrections,
            {
                "id": new_ulid(),
                "review_id": review_id,
                "run_id": ref.run_id,
                "kind": "edited",
                "state": "open",
                "created_at": now,
            },
        ),
        (
            labelled_examples,
            {
                "id": new_ulid(),
                "run_id": ref.run_id,
                "text": "Bonjour",
                "language": "fr",
                "classification": "other",
                "labelled_by": "user/u",
                "created_at": now,
            },
        ),
        (
            shadow_drafts,
            {
                "run_id": ref.run_id,
                "playbook_id": run.playbook_id,
                "playbook_version": run.playbook_version,
                "classification": "other",
                "confidence": 0.5,
                "draft": "Bonjour",
                "created_at": now,
            },
        ),
        (
            own_heads,
            {
                "id": new_ulid(),
                "state": "used",
                "model": "m",
                "tickets": 100,
                "won": 10,
                "lost": 0,
                "both_right": 60,
                "weights": b"weights",
                "created_at": now,
            },
        ),
        (
            ratings,
            {
                "id": new_ulid(),
                "run_id": ref.run_id,
                "score": 4,
                "channel": "widget",
                "created_at": now,
            },
        ),
    )
    for table, values in rows:
        await connection.execute(sa.insert(table).values({**values, "client_id": tenant}))

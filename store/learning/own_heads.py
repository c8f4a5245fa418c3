"""Clients' own classifier heads, and the lessons for fitting them. A lesson is a ticket with a
decided category."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.brain import Category
from domain.agent.own_head import OwnHead
from domain.learning.own_head_trial import (
    MAX_LESSONS,
    Lesson,
    OwnHeadRecord,
    OwnHeadState,
    TriedHead,
)
from store.core.repository import TenantRepository
from store.learning.tables import own_heads
from store.tenants.accounts import AccountRepository

KEPT_VERSIONS: Final = 10
_HEAD: Final = own_heads.c
_FIGURES: Final = tuple(column for column in _HEAD if column.name not in {"client_id", "weights"})

_LATEST: Final = (
    sa.select(
        _HEAD.id,
        _HEAD.model,
        sa.case((_HEAD.id != sa.bindparam("known"), _HEAD.weights)).label("weights"),
        _HEAD.weights.is_not(None).label("is_used"),
    )
    .where(_HEAD.client_id == sa.bindparam("client_id"))
    .order_by(_HEAD.id.desc())
    .limit(1)
)

# The lessons: labelled examples, and reviews of a single message whose draft was approved
# unchanged. Ids are ULIDs created with the row, so the latest rows are at the end of the primary
# key.
_DECIDED: Final = """
    SELECT id, text, classification, created_at AS at
    FROM (
        SELECT * FROM labelled_examples WHERE client_id = :client_id
        ORDER BY id DESC LIMIT :limit
    ) AS example
    UNION ALL
    SELECT run.id, concat_ws(E'\\n', event.subject, event.text), run.classification,
           review.decided_at
    FROM (
        SELECT * FROM escalation_tickets
        WHERE client_id = :client_id AND decision = 'approve' AND status = 'approved'
          AND edited_text IS NULL AND draft <> '' AND round = 0 AND revision = 0
        ORDER BY id DESC LIMIT :limit
    ) AS review
    JOIN engine_runs AS run ON run.client_id = review.client_id AND run.id = review.run_id
    JOIN engine_events AS event ON event.client_id = run.client_id AND event.id = run.event_id
    WHERE event.erased_at IS NULL AND event.text <> '' AND run.classification = ANY(:classes)
      AND NOT EXISTS (
        SELECT FROM labelled_examples AS example
        WHERE example.client_id = run.client_id AND example.run_id = run.id)
"""
_TIMES: Final = sa.text(f"SELECT at FROM ({_DECIDED}) AS lesson ORDER BY at DESC LIMIT :limit")  # noqa: S608 - no user input
_LESSONS: Final = sa.text(
    f"SELECT * FROM ({_DECIDED}) AS lesson ORDER BY at DESC, id DESC LIMIT :limit"  # noqa: S608 - no user input
)
# The row locks serialize a fit with an erasure. The erasure either commits before the fit, or finds
# the new classifier head.
_HOLD: Final = (
    sa.text("""
        SELECT id FROM labelled_examples
        WHERE client_id = :client_id AND id = ANY(:ids)
        ORDER BY id FOR SHARE
    """),
    sa.text("""
        SELECT run.id FROM engine_runs AS run
        JOIN engine_events AS event ON event.client_id = run.client_id AND event.id = run.event_id
        WHERE run.client_id = :client_id AND run.id = ANY(:ids) AND event.erased_at IS NULL
        ORDER BY run.id FOR SHARE OF run, event
    """),
)


async def remove_old_heads(connection: AsyncConnection, before: datetime) -> None:
    """Remove all clients' classifier heads that were trained before `before`. Without this removal,
    a head that is no longer retrained would outlive the tickets to which it was fitted."""
    await connection.execute(sa.delete(own_heads).where(_HEAD.created_at < before))


class OwnHeadRepository(TenantRepository):
    """A client's own classifier heads, and the lessons for fitting them."""

    async def in_use(self, known: OwnHead | None = None) -> OwnHead | None:
        """Return the latest classifier head if it is in use, otherwise None. If `known` is the
        latest head, return `known` itself without reading the weights again."""
        row = (
            await self._connection.execute(
                _LATEST, {"client_id": self._tenant, "known": known.version if known else ""}
            )
        ).one_or_none()
        if row is None or not row.is_used:
            return None
        if known is not None and row.id == known.version:
            return known
        return OwnHead(version=row.id, model=row.model, weights=row.weights)

    async def versions(self) -> tuple[OwnHeadRecord, ...]:
        """Return the metrics for the last `KEPT_VERSIONS` versions of the classifier head, latest
        first."""
        rows = await self._connection.execute(
            sa.select(*_FIGURES)
            .where(_HEAD.client_id == self._tenant)
            .order_by(_HEAD.id.desc())
            .limit(KEPT_VERSIONS)
        )
        return tuple(OwnHeadRecord.model_validate(row, from_attributes=True) for row in rows)

    async def decided(self) -> Sequence[datetime]:
        """Return the decision times of the latest `MAX_LESSONS` lessons, latest first."""
        return list(await self._connection.scalars(_TIMES, self._given()))

    async def lessons(self) -> Sequence[Lesson]:
        """Return the client's latest `MAX_LESSONS` lessons, latest first."""
        rows = await self._connection.execute(_LESSONS, self._given())
        return [Lesson(row.id, row.text, Category(row.classification), row.at) for row in rows]

    async def keep(
        self,
        head_id: str,
        tried: TriedHead,
        lessons: Sequence[Lesson],
        *,
        model: str,
        now: datetime,
    ) -> bool:
        """Store a classifier head as the latest version, and remove the weights of all others.

        Return False and store nothing if a lesson was removed since the fit. Raises ClientNotFound
        during an erasure.
        """
        await AccountRepository(self._connection, self._tenant).lock()
        if not await self._hold(lessons):
            return False
        held_back = tried.held_back
        await self._connection.execute(
            sa.insert(own_heads).values(
                client_id=self._tenant,
                id=head_id,
                state=tried.state,
                model=model,
                tickets=held_back.tickets,
                won=held_back.won,
                lost=held_back.lost,
                both_right=held_back.both_right,
                weights=tried.weights if tried.state is OwnHeadState.USED else None,
                created_at=now,
            )
        )
        others = (_HEAD.client_id == self._tenant, _HEAD.id != head_id)
        await self._connection.execute(
            sa.update(own_heads).where(*others, _HEAD.weights.is_not(None)).values(weights=None)
        )
        kept = sa.select(_HEAD.id).where(*others).order_by(_HEAD.id.desc())
        old = kept.offset(KEPT_VERSIONS - 1)
        await self._connection.execute(sa.delete(own_heads).where(*others, _HEAD.id.in_(old)))
        return True

    async def remove(self) -> None:
        """Remove all versions of the client's own classifier head. The caller must have removed a
        lesson earlier in the same transaction."""
        await self._connection.execute(sa.delete(own_heads).where(_HEAD.client_id == self._tenant))

    async def _hold(self, lessons: Sequence[Lesson]) -> bool:
        """Lock the rows of the lessons, so that they cannot be removed. Return False if any row is
        missing."""
        given = {"client_id": self._tenant, "ids": [one.id for one in lessons]}
        held = 0
        for statement in _HOLD:
            held += len((await self._connection.execute(statement, given)).all())
        return held == len(lessons)

    def _given(self) -> dict[str, object]:
        return {
            "client_id": self._tenant,
            "limit": MAX_LESSONS,
            "classes": [category.value for category in Category],
        }

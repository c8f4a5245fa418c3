"""One client's replays: their progress, and the events whose outcome differs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.contracts import BackgroundRef
from domain.simulation.errors import ReplayNotFound
from domain.simulation.replay import (
    UNFINISHED,
    Replay,
    ReplayExample,
    ReplayState,
    ReplayStop,
)
from domain.simulation.replay_facts import ReplayChangeKind, ReplayFacts
from domain.simulation.replay_tally import ReplayTally
from store.core.place import Place, beyond
from store.core.repository import TenantRepository, owner_of
from store.simulation.tables import replay_changes, replays

_TABLE: Final = replays.c
_COLUMNS: Final = tuple(_TABLE[name] for name in Replay.model_fields)
_UNFINISHED: Final = _TABLE.state.in_(sorted(UNFINISHED))
# The lock makes a concurrent erasure wait until the examples are stored. Events that are removed or
# being erased are not selected, so they do not become examples.
_STILL_THERE: Final = sa.text("""
    SELECT id FROM engine_events
    WHERE client_id = :client_id AND id = ANY(:events) AND erased_at IS NULL
    ORDER BY id FOR SHARE
""")
_EXAMPLES: Final = sa.text("""
    SELECT change.event_id, run.id AS run_id, change.kind, change.before, change.after,
           coalesce(run.draft, '') AS draft_before, change.draft AS draft_after
    FROM replay_changes AS change
    LEFT JOIN engine_runs AS run
      ON run.client_id = change.client_id AND run.event_id = change.event_id
    WHERE change.client_id = :client_id AND change.replay_id = :replay_id
      AND (CAST(:kind AS text) IS NULL OR change.kind = :kind) AND change.event_id > :after
    ORDER BY change.event_id
    LIMIT :limit
""")

client_of_replay: Final = owner_of(replays, ReplayNotFound)


@dataclass(frozen=True, slots=True)
class ReplayChange:
    """An event whose outcome in the replay differs from its original outcome."""

    event_id: str
    kind: ReplayChangeKind
    before: ReplayFacts
    after: ReplayFacts
    draft: str


@dataclass(frozen=True, slots=True)
class ReplayedPage:
    """The result of replaying one page of events. `place` is the last event on the page, or None if
    no events were left."""

    place: str | None
    tally: ReplayTally
    changes: Sequence[ReplayChange]
    examined: int
    cost_micros: int
    worked_ms: int


class ReplayRepository(TenantRepository):
    async def create(self, replay: Replay) -> None:
        values = replay.model_dump(mode="python", exclude={"variant", "tally"})
        await self._connection.execute(
            sa.insert(replays).values(
                **values,
                client_id=self._tenant,
                variant=replay.variant.model_dump(mode="json"),
                tally=replay.tally.model_dump(mode="json"),
            )
        )

    async def is_under_way(self) -> bool:
        """Return whether the client has an unfinished replay."""
        found = await self._connection.scalar(
            sa.select(sa.true()).where(_TABLE.client_id == self._tenant, _UNFINISHED).limit(1)
        )
        return found is not None

    async def read(self, replay_id: str, *, lock: bool = False) -> Replay:
        """Return a replay, locked until the transaction ends with `lock`. Raises ReplayNotFound."""
        query = sa.select(*_COLUMNS).where(self._is(replay_id))
        row = await self._one(
            query.with_for_update() if lock else query, {}, ReplayNotFound(replay_id)
        )
        return _replay(row)

    async def page(self, *, before: str | None, limit: int) -> tuple[Replay, ...]:
        """Return a page of replays, newest first. `before` is the last id on the previous page."""
        rows = await self._connection.execute(
            sa.select(*_COLUMNS)
            .where(
                _TABLE.client_id == self._tenant,
                sa.true() if before is None else _TABLE.id < before,
            )
            .order_by(_TABLE.id.desc())
            .limit(limit)
        )
        return tuple(map(_replay, rows))

    async def examples(
        self, replay_id: str, *, kind: ReplayChangeKind | None, after: str | None, limit: int
    ) -> tuple[ReplayExample, ...]:
        """Return a page of events whose outcome differs in the replay, in order of arrival. `after`
        is the last event on the previous page."""
        rows = await self._connection.execute(
            _EXAMPLES,
            {
                "client_id": self._tenant,
                "replay_id": replay_id,
                "kind": kind,
                "after": after or "",
                "limit": limit,
            },
        )
        return tuple(ReplayExample.model_validate(row, from_attributes=True) for row in rows)

    async def work(self, replay_id: str, *, total: int) -> None:
        """Mark a replay as running, with `total` events. A finished replay stays unchanged."""
        await self._connection.execute(
            sa.update(replays)
            .where(self._is(replay_id), _UNFINISHED)
            .values(state=ReplayState.RUNNING, total=total)
        )

    async def add(self, replay: Replay, done: ReplayedPage) -> None:
        """Add the result of a page to a replay. Erased events do not become examples.

        The caller must have locked the replay and checked its position.
        """
        ids = [change.event_id for change in done.changes]
        known = set(
            await self._connection.scalars(_STILL_THERE, {"client_id": self._tenant, "events": ids})
        )
        kept = [
            {
                "client_id": self._tenant,
                "replay_id": replay.id,
                "event_id": change.event_id,
                "kind": change.kind,
                "before": change.before.model_dump(mode="json", exclude_none=True),
                "after": change.after.model_dump(mode="json", exclude_none=True),
                "draft": change.draft,
            }
            for change in done.changes
            if change.event_id in known
        ]
        if kept:
            await self._connection.execute(insert(replay_changes), kept)
        tally = ReplayTally.total((replay.tally, done.tally))
        await self._connection.execute(
            sa.update(replays)
            .where(self._is(replay.id))
            .values(
                place=done.place or replay.place,
                tally=tally.model_dump(mode="json"),
                examined=_TABLE.examined + done.examined,
                changed=_TABLE.changed + len(done.changes),
                cost_micros=_TABLE.cost_micros + done.cost_micros,
                worked_ms=_TABLE.worked_ms + done.worked_ms,
            )
        )

    async def end(
        self, replay_id: str, state: ReplayState, now: datetime, *, why: ReplayStop | None = None
    ) -> bool:
        """Finish a replay. Return False and change nothing if it was already finished."""
        ended = await self._connection.execute(
            sa.update(replays)
            .where(self._is(replay_id), _UNFINISHED)
            .values(state=state, stopped_because=why, finished_at=now)
        )
        return ended.rowcount == 1

    def _is(self, replay_id: str) -> sa.ColumnElement[bool]:
        return sa.and_(_TABLE.client_id == self._tenant, _TABLE.id == replay_id)


@dataclass(frozen=True, slots=True)
class UnfinishedReplay:
    ref: BackgroundRef
    place: Place


async def unfinished_replays(
    connection: AsyncConnection, *, before: datetime, after: Place | None, limit: int
) -> list[UnfinishedReplay]:
    """Return a page of unfinished replays, across all clients, that were created before `before`,
    oldest first. `after` is the position of the last replay on the previous page."""
    rows = await connection.execute(
        sa.select(_TABLE.client_id, _TABLE.id, _TABLE.created_at)
        .where(_UNFINISHED, _TABLE.created_at < before, beyond(after, _TABLE.created_at, _TABLE.id))
        .order_by(_TABLE.created_at, _TABLE.id)
        .limit(limit)
    )
    return [
        UnfinishedReplay(
            BackgroundRef(client_id=row.client_id, record_id=row.id), Place(row.created_at, row.id)
        )
        for row in rows
    ]


def _replay(row: "sa.Row[*tuple[Any, ...]]") -> Replay:
    return Replay.model_validate(row, from_attributes=True)

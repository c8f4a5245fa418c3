"""The action ledger: a row before an effect, its outcome after it.

A row that is still `planned` when somebody else looks means that a process died in between: the
effect may or may not have happened, and only a human may have it done again.
"""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.ids import TenantId
from domain.plan import IN_PLACE, ActionKind, PlannedAction, StepOutcome, StepState
from domain.ports import NewId
from store.tables import action_ledger

_PLANNED = "planned"


_RECORD: Final = insert(action_ledger).on_conflict_do_nothing(
    index_elements=["client_id", "run_id", "step", "round"]
)


class ActionLedger:
    def __init__(self, connection: AsyncConnection, tenant: TenantId) -> None:
        self._connection = connection
        self._tenant = tenant

    async def begin(
        self, *, run_id: str, step: int, round_: int, kind: ActionKind, entry_id: str, now: datetime
    ) -> StepOutcome | None:
        """Claim a step. None: it is ours to do now. Else: what came of it before.

        A step that any round has done is done; one that this round began and never finished is
        unknown. One that failed for good stays failed.
        """
        done = await self._connection.scalar(
            sa.select(action_ledger.c.id).where(
                self._is(run_id, step), action_ledger.c.state == StepState.DONE
            )
        )
        if done is not None:
            return StepOutcome(kind=kind, state=StepState.DONE)
        claimed = await self._connection.scalar(
            insert(action_ledger)
            .values(
                client_id=self._tenant,
                id=entry_id,
                run_id=run_id,
                step=step,
                round=round_,
                action=kind,
                state=_PLANNED,
                detail="",
                planned_at=now,
            )
            .on_conflict_do_nothing(index_elements=["client_id", "run_id", "step", "round"])
            .returning(action_ledger.c.id)
        )
        if claimed is not None:
            return None
        row = (
            await self._connection.execute(
                sa.select(action_ledger.c.state, action_ledger.c.detail).where(
                    self._is(run_id, step), action_ledger.c.round == round_
                )
            )
        ).one()
        if row.state == _PLANNED:
            return StepOutcome(kind=kind, state=StepState.UNKNOWN, detail="interrupted")
        return StepOutcome(kind=kind, state=StepState(row.state), detail=row.detail)

    async def record_in_place(
        self,
        plan: tuple[PlannedAction, ...],
        *,
        run_id: str,
        round_: int,
        new_id: NewId,
        now: datetime,
    ) -> None:
        """Write the in-place actions as done, for recording them is doing them; idempotent."""
        entries = [
            {
                "client_id": self._tenant,
                "id": new_id(),
                "run_id": run_id,
                "step": step,
                "round": round_,
                "action": action.kind,
                "state": StepState.DONE,
                "detail": "",
                "planned_at": now,
                "finished_at": now,
            }
            for step, action in enumerate(plan)
            if action.kind in IN_PLACE
        ]
        if entries:
            await self._connection.execute(_RECORD, entries)

    async def finish(
        self, outcome: StepOutcome, *, run_id: str, step: int, round_: int, now: datetime
    ) -> None:
        """Write what came of a step that `begin` claimed. What is known to be done stays done."""
        await self._connection.execute(
            sa.update(action_ledger)
            .where(
                self._is(run_id, step),
                action_ledger.c.round == round_,
                action_ledger.c.state != StepState.DONE,
            )
            .values(state=outcome.state, detail=outcome.detail, finished_at=now)
        )

    async def release(self, *, run_id: str, step: int, round_: int) -> None:
        """Give a claim back: the effect did surely not happen, and it may be tried again."""
        await self._connection.execute(
            sa.delete(action_ledger).where(
                self._is(run_id, step),
                action_ledger.c.round == round_,
                action_ledger.c.state == _PLANNED,
            )
        )

    def _is(self, run_id: str, step: int) -> sa.ColumnElement[bool]:
        return sa.and_(
            action_ledger.c.client_id == self._tenant,
            action_ledger.c.run_id == run_id,
            action_ledger.c.step == step,
        )

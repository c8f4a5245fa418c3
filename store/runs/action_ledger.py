"""The action ledger. A row is written before an action is executed, and gets the outcome
afterwards.

A row that is still `planned` belongs to a process that died. Its action may have taken effect.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from domain.agent.plan import IN_PLACE, ON_ORDERS, ActionKind, StepOutcome, StepState
from domain.agent.policy_context import CUSTOMER_WINDOW, Spent
from domain.core.money import Money
from domain.integrations.order import folded_number
from domain.runs.teammate_reply import FIRST_STEP
from store.core.repository import TenantRepository
from store.runs.tables import action_ledger

_PLANNED: Final = "planned"


@dataclass(frozen=True, slots=True)
class LedgerPlace:
    """The position of a ledger row: a step of a run's plan, or a member's reply to the run's
    message. `round` is the number of human approvals so far."""

    run_id: str
    step: int
    round: int


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of an intended action, with its order (`Order.key`, `Order.folded_number`) and its
    helpdesk ticket."""

    kind: ActionKind
    integration_id: str | None = None
    order_key: str | None = None
    customer_key: str | None = None
    amount: Money | None = None
    ticket_id: str | None = None
    order_number: str | None = None


@dataclass(frozen=True, slots=True)
class LedgerClaim:
    """The right to execute a step. `again` means that an earlier start has an unknown outcome, and
    `interrupted` that it was in this round."""

    again: bool = False
    interrupted: bool = False


class ActionLedger(TenantRepository):
    async def settled(self, place: LedgerPlace) -> StepOutcome | None:
        """Return a step's outcome if the step has succeeded in any round, or has ended with another
        outcome in this round. Otherwise return None."""
        row = (
            await self._connection.execute(
                sa.select(action_ledger.c.action, action_ledger.c.state, action_ledger.c.detail)
                .where(
                    self._is_step(place),
                    sa.or_(
                        action_ledger.c.state == StepState.DONE,
                        sa.and_(
                            action_ledger.c.round == place.round, action_ledger.c.state != _PLANNED
                        ),
                    ),
                )
                .order_by((action_ledger.c.state == StepState.DONE).desc())
                .limit(1)
            )
        ).one_or_none()
        if row is None:
            return None
        return StepOutcome(
            kind=ActionKind(row.action),
            state=StepState(row.state),
            detail="" if row.state == StepState.DONE else row.detail,
        )

    async def outcomes(self, run_id: str) -> tuple[StepOutcome, ...]:
        """Return the outcome of each started step of a run's plan, in order, `unknown` if none was
        recorded. Members' replies are not steps."""
        rows = await self._connection.execute(
            _OUTCOMES, {"client_id": self._tenant, "run_id": run_id, "first_reply": FIRST_STEP}
        )
        return tuple(
            StepOutcome(
                kind=ActionKind(row.action),
                state=StepState.UNKNOWN if row.state == _PLANNED else StepState(row.state),
                detail="" if row.state == StepState.DONE else row.detail,
            )
            for row in rows
        )

    async def was_started(self, place: LedgerPlace) -> bool:
        """Return True if a step was started in any round and its outcome is unknown."""
        return bool(
            await self._connection.scalar(
                sa.select(sa.literal(True))
                .where(
                    self._is_step(place), action_ledger.c.state.in_((_PLANNED, StepState.UNKNOWN))
                )
                .limit(1)
            )
        )

    async def unfinished(self, place: LedgerPlace) -> Effect | None:
        """Return the intended effect of an unfinished claim from earlier in this round. The order
        and the amount are omitted."""
        ledger = action_ledger.c
        row = (
            await self._connection.execute(
                sa.select(ledger.action, ledger.integration_id, ledger.ticket_id).where(
                    self._is_step(place), ledger.round == place.round, ledger.state == _PLANNED
                )
            )
        ).one_or_none()
        if row is None:
            return None
        return Effect(ActionKind(row.action), row.integration_id, ticket_id=row.ticket_id)

    async def has_mailed(self, message_id: str) -> bool:
        """Return whether the action ledger contains an email with this Message-ID that was sent for
        the client."""
        found: bool | None = await self._connection.scalar(
            sa.select(sa.true()).where(
                action_ledger.c.client_id == self._tenant,
                action_ledger.c.action == ActionKind.REPLY_BY_EMAIL,
                action_ledger.c.reference == message_id,
            )
        )
        return found is not None

    async def begin(
        self, place: LedgerPlace, effect: Effect, *, entry_id: str, now: datetime
    ) -> StepOutcome | LedgerClaim:
        """Claim a step, or return its earlier outcome if there is one. If an earlier claim is
        unfinished, this call takes it over, and changes its id to `entry_id`."""
        settled = await self.settled(place)
        if settled is not None:
            return settled
        has_started = await self.was_started(place)
        row = self._row(place, effect, entry_id=entry_id, state=_PLANNED, now=now)
        fresh: bool | None = await self._connection.scalar(_CLAIM, row)
        if fresh is not None:
            return (
                LedgerClaim(again=has_started)
                if fresh
                else LedgerClaim(again=True, interrupted=True)
            )
        settled = await self.settled(place)  # Another attempt has already finished the step.
        return settled if settled is not None else LedgerClaim(again=True, interrupted=True)

    async def record(
        self, place: LedgerPlace, effect: Effect, *, entry_id: str, now: datetime
    ) -> None:
        """Record as done an action whose only effect is in the database. Idempotent."""
        row = self._row(
            place, effect, entry_id=entry_id, state=StepState.DONE, now=now, finished_at=now
        )
        await self._connection.execute(_RECORD, row)

    async def finish(
        self, place: LedgerPlace, outcome: StepOutcome, *, reference: str, now: datetime
    ) -> None:
        """Store the outcome of a step that `begin` claimed. A step that is already recorded as done
        stays done."""
        await self._connection.execute(
            sa.update(action_ledger)
            .where(
                self._is_step(place),
                action_ledger.c.round == place.round,
                action_ledger.c.state != StepState.DONE,
            )
            .values(
                state=outcome.state,
                detail=outcome.detail,
                reference=reference or None,
                finished_at=now,
            )
        )

    async def release(self, place: LedgerPlace, entry_id: str) -> None:
        """Release the claim on a step that certainly did not take effect, so that it may be
        retried. A claim of another attempt is kept."""
        await self._connection.execute(
            sa.delete(action_ledger).where(
                self._is_step(place),
                action_ledger.c.round == place.round,
                action_ledger.c.state == _PLANNED,
                action_ledger.c.id == entry_id,
            )
        )

    async def take_back_answer(self, run_id: str, round_: int) -> None:
        """Delete the entries that `record` wrote in a round, because an automation stop prevented
        the answer from being stored."""
        await self._connection.execute(
            sa.delete(action_ledger).where(
                action_ledger.c.client_id == self._tenant,
                action_ledger.c.run_id == run_id,
                action_ledger.c.round == round_,
                action_ledger.c.action.in_(IN_PLACE),
            )
        )

    async def lock_money(self) -> None:
        """Lock the client's refunds and other financial actions until this transaction ends. The
        lock is a separate statement, so that later statements see what earlier lock holders
        committed."""
        await self._connection.execute(_LOCK, {"name": f"money/{self._tenant}"})

    async def spent(
        self,
        *,
        order_key: str,
        order_number: str = "",
        customer: Collection[str],
        currency: str,
        not_by: str,
        now: datetime,
    ) -> Spent:
        """Return the refunds and actions of other runs, also with an unknown outcome, for
        comparison with the limits.

        - `order_key`, `order_number`: the calling run's order. The number is compared with orders
          changed within CUSTOMER_WINDOW.
        - `customer`: the customer's values from `refunded_as`.
        - `currency`: other currencies are not counted.
        - `not_by`: the calling run.
        """
        row = (
            await self._connection.execute(
                _SPENT,
                {
                    "client_id": self._tenant,
                    "run_id": not_by,
                    "customer": list(customer),
                    "order_key": order_key,
                    "number": folded_number(order_number),
                    "on_orders": [kind.value for kind in ON_ORDERS],
                    "currency": currency,
                    "since": now - CUSTOMER_WINDOW,
                    "day": now.replace(hour=0, minute=0, second=0, microsecond=0),
                },
            )
        ).one()
        return Spent(
            customer=row.customer,
            day=row.day,
            on_order=frozenset(ActionKind(kind) for kind in row.on_order or ()),
            same_number=row.same_number,
        )

    def _row(
        self,
        place: LedgerPlace,
        effect: Effect,
        *,
        entry_id: str,
        state: str,
        now: datetime,
        finished_at: datetime | None = None,
    ) -> dict[str, object]:
        return {
            "client_id": self._tenant,
            "id": entry_id,
            "run_id": place.run_id,
            "step": place.step,
            "round": place.round,
            "action": effect.kind,
            "state": state,
            "detail": "",
            "integration_id": effect.integration_id,
            "ticket_id": effect.ticket_id,
            "order_key": effect.order_key,
            "order_number": effect.order_number,
            "customer_key": effect.customer_key,
            "amount": effect.amount.minor if effect.amount else None,
            "currency": effect.amount.currency if effect.amount else None,
            "planned_at": now,
            "finished_at": finished_at,
        }

    def _is_step(self, place: LedgerPlace) -> sa.ColumnElement[bool]:
        return sa.and_(
            action_ledger.c.client_id == self._tenant,
            action_ledger.c.run_id == place.run_id,
            action_ledger.c.step == place.step,
        )


_PLACE: Final = ["client_id", "run_id", "step", "round"]
_INSERT: Final = insert(action_ledger)
_RECORD: Final = _INSERT.on_conflict_do_nothing(index_elements=_PLACE)
# The statement returns true for a new row, and false for a row that it takes over. If the existing
# row is finished, it returns no row.
_CLAIM: Final = _INSERT.on_conflict_do_update(
    index_elements=_PLACE, set_={"id": _INSERT.excluded.id}, where=action_ledger.c.state == _PLANNED
).returning(sa.literal_column("xmax = 0", sa.Boolean))
_OUTCOMES: Final = sa.text("""
    SELECT DISTINCT ON (step) action, state, detail FROM action_ledger
    WHERE client_id = :client_id AND run_id = :run_id AND step < :first_reply
    ORDER BY step, state = 'done' DESC, round DESC
""")
_LOCK: Final = sa.text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))")
# A step is counted once, even if it was executed in several rounds. A row of an earlier version has
# no order number, so its run's lookup is read instead. An erasure empties the lookup.
_SPENT: Final = sa.text("""
    WITH moved AS (
        SELECT DISTINCT ON (run_id, step)
               run_id, action, order_key, order_number, customer_key, amount, currency,
               planned_at
        FROM action_ledger
        WHERE client_id = :client_id AND order_key IS NOT NULL AND state <> 'failed'
          AND run_id <> :run_id
          AND (planned_at > CAST(:since AS timestamptz) OR order_key = CAST(:order_key AS text))
        ORDER BY run_id, step, round DESC
    )
    SELECT coalesce(sum(amount) FILTER (
               WHERE customer_key = ANY(CAST(:customer AS text[]))
                 AND currency = CAST(:currency AS text)
                 AND planned_at > CAST(:since AS timestamptz)), 0)::bigint AS customer,
           coalesce(sum(amount) FILTER (
               WHERE currency = CAST(:currency AS text)
                 AND planned_at >= CAST(:day AS timestamptz)), 0)::bigint AS day,
           array_agg(DISTINCT action) FILTER (
               WHERE order_key = CAST(:order_key AS text)) AS on_order,
           EXISTS (
               SELECT FROM moved AS other
               LEFT JOIN engine_runs AS run
                 ON other.order_number IS NULL
                AND run.client_id = :client_id AND run.id = other.run_id
               WHERE CAST(:number AS text) <> ''
                 AND other.order_key <> CAST(:order_key AS text)
                 AND other.action = ANY(CAST(:on_orders AS text[]))
                 AND coalesce(other.order_number,
                              lower(ltrim(btrim(run.lookup -> 'order' ->> 'number'), '# ')))
                     = CAST(:number AS text)) AS same_number
    FROM moved
""")

"""Plans, credits, quota, months, retries and parallel callers against a model.

The quotas and limits are small, so that a few steps reach them.
"""

import asyncio
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, note, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from adapters.system import new_ulid
from domain.billing import subscription
from domain.billing.errors import QuotaExhausted
from domain.billing.quota import PaidBy, QuotaStanding
from domain.core.errors import DomainError, InvalidInput
from domain.core.period import period_of
from domain.tenants.client import Plan
from services.intake import admission
from services.intake.admission import Admitted
from store.billing.tables import credit_ledger, thresholds_sent, usage_counters, usage_ledger
from store.billing.thresholds import note_reached
from store.billing.usage_ledger import UsageLedger, take_again
from store.core.database import Database
from store.intake import recent_use
from store.runs.tables import engine_messages, engine_runs
from store.tenants.accounts import AccountRepository
from store.tenants.tables import clients
from tests.support.billing.usage_model import (
    FACTS,
    PER_CLIENT,
    PER_CUSTOMER,
    QUOTAS,
    RANK,
    START,
    Model,
    credits_spent_on,
)
from tests.support.core.rows import rows
from tests.support.intake.admission import try_to_admit
from tests.support.tenants.shop import Shop, open_shop
from tests.support.webhooks.told import told_events


class Usage(RuleBasedStateMachine):
    database: Database
    runner: asyncio.Runner

    @initialize()
    def open(self) -> None:
        self.now = START
        self.model = Model()
        self.admitted: list[str] = []
        self.returned: set[str] = set()
        self.shop: Shop = self._do(open_shop(self.database, event_type="shop.*"))
        self._do(self._change(Plan.FREE, None))
        self._do(self._save_trial(None))

    @rule(
        callers=st.integers(1, 6),
        customer=st.sampled_from(["a@x.example", "b@x.example"]),
        wanted=st.sampled_from([True, True, True, False]),
    )
    def send(self, callers: int, customer: str, wanted: bool) -> None:
        expected = Counter(
            self.model.send(self.now, customer, wanted=wanted) for _ in range(callers)
        )
        note(f"{self.now} {expected} {self.model}")
        came = self._do(self._send_at_once(callers, customer, wanted))
        assert came == expected

    @precondition(lambda self: self.admitted)
    @rule(data=st.data())
    def charge_again(self, data: st.DataObject) -> None:
        """Retry a counted event: nothing changes, whatever it claims."""
        event_id = data.draw(st.sampled_from(self.admitted))
        self._do(self._charge(event_id))

    @precondition(lambda self: self.admitted)
    @rule(data=st.data(), callers=st.integers(1, 3))
    def give_back(self, data: st.DataObject, callers: int) -> None:
        """A ticket without processing is returned to its month, with its credit, once."""
        event_id = data.draw(st.sampled_from(self.admitted))
        ticket = self._do(self._ticket(event_id))
        if event_id not in self.returned:
            self.returned.add(event_id)
            self.model.used[ticket["period"]] -= 1
            self.model.credits += ticket["paid_by"] == "credit"
        self._do(self._give_back(event_id, callers))

    @precondition(lambda self: self.returned)
    @rule(data=st.data(), callers=st.integers(1, 3))
    def take_again(self, data: st.DataObject, callers: int) -> None:
        """A reopened run's ticket counts again; without a credit, it uses the quota."""
        event_id = data.draw(st.sampled_from(sorted(self.returned)))
        ticket = self._do(self._ticket(event_id))
        self.returned.discard(event_id)
        self.model.used[ticket["period"]] += 1
        self.model.credits -= ticket["paid_by"] == "credit" and self.model.credits > 0
        self._do(self._take_again(event_id, callers))

    @rule(amount=st.integers(-3, 4).filter(bool))
    def move_credits(self, amount: int) -> None:
        allowed = self.model.credits + amount >= 0
        try:
            self._do(self._add_credits(amount))
        except InvalidInput:
            assert not allowed
        else:
            assert allowed
            self.model.credits += amount

    @rule(plan=st.sampled_from(RANK))
    def change_plan(self, plan: Plan) -> None:
        self.model.limit(self.now)
        upwards = RANK.index(plan) >= RANK.index(self.model.plan)
        if upwards:
            self.model.plan, self.model.waiting = plan, None
        else:
            first = (self.now.replace(day=1) + timedelta(days=32)).replace(
                day=1, hour=0, minute=0, second=0, microsecond=0
            )
            self.model.waiting = (plan, first)
        self._do(self._change(plan, self.now))

    @rule(days=st.sampled_from([0, 1, 40]))
    def give_trial(self, days: int) -> None:
        self.model.trial_ends_at = self.now + timedelta(days=days) if days else None
        self._do(self._save_trial(self.model.trial_ends_at))

    @rule(step=st.sampled_from([1, 9, 10, 55, 60, 24 * 60, 20 * 24 * 60]))
    def time_passes(self, step: int) -> None:
        self.now += timedelta(minutes=step)

    @invariant()
    def all_agrees(self) -> None:
        if not hasattr(self, "shop"):
            return
        found = self._do(self._read())
        assert found["credits"] == self.model.credits == found["credit_sum"]
        assert found["counters"] == {m: n for m, n in self.model.used.items() if n}
        assert found["returned"] == self.returned
        assert found["spent_credits"] == found["standing_credit_tickets"]
        assert found["ledger"] == found["counters"], "the counter is the number of ledger rows"
        assert found["told"] == self.model.told
        assert found["events"] == found["noted"], "each is told once, as it was noted"
        assert found["messages"] == len(self.model.sent)
        assert found["runs"] == sum(self.model.used.values()) + len(self.returned)

    def _do(self, work: Any) -> Any:
        return self.runner.run(work)

    async def _send_at_once(self, callers: int, customer: str, wanted: bool) -> Counter[str]:
        async def one() -> str:
            try:
                outcome = await try_to_admit(
                    self.database,
                    self.shop,
                    event_type="shop.x" if wanted else "other",
                    customer_email=customer,
                    now=self.now,
                )
            except QuotaExhausted as refused:
                if refused.thresholds_untold:
                    await self._note_thresholds()
                return refused.code
            except DomainError as error:
                return error.code
            if isinstance(outcome, Admitted):
                self.admitted.append(outcome.ref.event_id)
            return "in"

        return Counter(await asyncio.gather(*(one() for _ in range(callers))))

    async def _note_thresholds(self) -> None:
        async with self.database.tenant(self.shop.tenant) as connection:
            await note_reached(connection, self.shop.tenant, self.now, new_ulid)

    async def _charge(self, event_id: str) -> None:
        async with self.database.tenant(self.shop.tenant) as connection:
            await UsageLedger(connection, self.shop.tenant).charge(
                event_id,
                QuotaStanding(period_of(self.now), 0, 0, 1),
                PaidBy.CREDIT,
                entry_id=new_ulid(),
                now=self.now,
            )

    async def _ticket(self, event_id: str) -> dict[str, Any]:
        return (await rows(self.database, usage_ledger, event_id=event_id))[0]

    async def _give_back(self, event_id: str, callers: int) -> None:
        async def one() -> None:
            async with self.database.tenant(self.shop.tenant) as connection:
                await AccountRepository(connection, self.shop.tenant).lock()
                await UsageLedger(connection, self.shop.tenant).give_back(
                    event_id, entry_id=new_ulid(), now=self.now
                )

        await asyncio.gather(*(one() for _ in range(callers)))

    async def _take_again(self, event_id: str, callers: int) -> None:
        async def one() -> None:
            async with self.database.tenant(self.shop.tenant) as connection:
                await take_again(
                    connection, self.shop.tenant, event_id, new_id=new_ulid, now=self.now
                )

        await asyncio.gather(*(one() for _ in range(callers)))

    async def _add_credits(self, amount: int) -> None:
        async with self.database.tenant(self.shop.tenant) as connection:
            await AccountRepository(connection, self.shop.tenant).add_credits(
                amount, entry_id=new_ulid(), reason="test", now=self.now
            )

    async def _change(self, plan: Plan, now: datetime | None) -> None:
        async with self.database.tenant(self.shop.tenant) as connection:
            accounts = AccountRepository(connection, self.shop.tenant)
            before = (await accounts.lock()).subscription
            # Initially, the shop changes from its first plan to the model's plan.
            changed = before.changed_to(plan, now) if now else type(before)(plan)
            await accounts.save(changed)

    async def _save_trial(self, ends_at: datetime | None) -> None:
        async with self.database.service() as connection:
            await connection.execute(
                sa.update(clients)
                .where(clients.c.id == self.shop.client_id)
                .values(trial_ends_at=ends_at)
            )

    async def _read(self) -> dict[str, Any]:
        mine: dict[str, Any] = {"client_id": self.shop.client_id}
        entries = await rows(self.database, credit_ledger, **mine)
        tickets = await rows(self.database, usage_ledger, **mine)
        account = (await rows(self.database, clients, id=self.shop.client_id))[0]
        counters = await rows(self.database, usage_counters, **mine)
        noted = await rows(self.database, thresholds_sent, **mine)
        events = await told_events(self.database, **mine, event="usage.threshold_reached")
        return {
            "credits": account["credits_balance"],
            "credit_sum": sum(entry["amount"] for entry in entries),
            "spent_credits": credits_spent_on(entries),
            "standing_credit_tickets": {
                t["event_id"] for t in tickets if not t["returned_at"] and t["paid_by"] == "credit"
            },
            "returned": {t["event_id"] for t in tickets if t["returned_at"]},
            "ledger": dict(Counter(t["period"] for t in tickets if not t["returned_at"])),
            "counters": {
                row["period"]: row["tickets_used"] for row in counters if row["tickets_used"]
            },
            "told": {(row["period"], row["threshold"]) for row in noted},
            "noted": sorted(tuple(row[name] for name in FACTS) for row in noted),
            "events": [tuple(event.data[name] for name in FACTS) for event in events],
            "messages": len(await rows(self.database, engine_messages, **mine)),
            "runs": len(await rows(self.database, engine_runs, **mine)),
        }


def test_used_credits_and_ledger_always_agree(
    database_url: str, monkeypatch: pytest.MonkeyPatch, thorough: bool
) -> None:
    monkeypatch.setattr(subscription, "TICKETS", QUOTAS)
    for module in (admission, recent_use):
        monkeypatch.setattr(module, "PER_CUSTOMER", PER_CUSTOMER)
        monkeypatch.setattr(module, "PER_CLIENT", PER_CLIENT)
    with asyncio.Runner() as runner:

        async def open_database() -> Database:
            return Database(database_url)

        database = runner.run(open_database())

        class Bound(Usage):
            pass

        Bound.database, Bound.runner = database, runner
        run_state_machine_as_test(
            Bound,
            settings=settings(
                max_examples=25 if thorough else 8,
                stateful_step_count=25,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
        runner.run(database.close())

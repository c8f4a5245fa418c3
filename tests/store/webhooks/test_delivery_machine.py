"""Events, attempts, retries, replays, pauses and plans against a model.

The limits are small, so that a few steps reach them.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from domain.tenants.client import Plan
from domain.webhooks import webhook as webhook_rules
from domain.webhooks.contracts import DeliverResult
from domain.webhooks.delivery import DeliveryAttempt, DeliveryStatus, Trigger
from domain.webhooks.errors import DeliveryNotFound, DeliveryPending, WebhookDisabled
from domain.webhooks.webhook import DisabledReason, RetryPolicy
from store.core.database import Database
from store.webhooks import deliveries as delivery_repository
from store.webhooks.deliveries import Outgoing
from store.webhooks.delivery_ending import END, SKIP
from store.webhooks.tables import webhook_deliveries, webhook_misses, webhook_subscriptions
from tests.support.core.rows import only_row, rows
from tests.support.tenants.shop import open_shop
from tests.support.webhooks.deliveries import BROKEN, GONE, GOT, SKIPPED, Hooks
from tests.support.webhooks.delivery_model import KEPT, MOST, WARNED, Model, Sent
from tests.support.webhooks.delivery_steps import finish_at_once, forget_body, send_all, tell
from tests.support.webhooks.webhooks import Subscribed

One = TypeVar("One")

RETRY_S = 3600.0
OUTCOMES = st.sampled_from([GOT, BROKEN, BROKEN, BROKEN, GONE])


def one_of(data: st.DataObject, options: Sequence[One]) -> One:
    """Draw one of them, independently of their number: which deliveries are kept depends on the
    order of concurrent ends, and Hypothesis must be able to repeat its draws."""
    return options[data.draw(st.integers(0, 10_000)) % len(options)]


class Deliveries(RuleBasedStateMachine):
    database: Database
    runner: asyncio.Runner
    hooks: Hooks
    webhook: Subscribed
    model: Model

    @initialize(policy=st.sampled_from(RetryPolicy))
    def open(self, policy: RetryPolicy) -> None:
        self.hooks = Hooks(self.database, self._do(open_shop(self.database)))
        self.begun: list[tuple[str, int, Outgoing]] = []
        self._subscribe(policy)

    @rule(times=st.integers(1, 4))
    def tell(self, times: int) -> None:
        for _ in range(times):
            deliveries, event_id = self._do(tell(self.hooks))
            if not self.model.in_plan:
                assert deliveries == ()
                continue
            self.model.bodies.add(event_id)
            if self.model.reason is not None:
                assert deliveries == ()
                self.model.missed.add(event_id)
                continue
            (delivery_id,) = deliveries
            self.model.sent[delivery_id] = Sent(event_id, Trigger.EVENT)

    @precondition(lambda self: self.model.sent)
    @rule(data=st.data(), back=st.sampled_from([0, 0, 0, 1]))
    def begin(self, data: st.DataObject, back: int) -> None:
        delivery_id = one_of(data, sorted(self.model.sent))
        attempt = max(1, self.model.sent[delivery_id].attempt + 1 - back)
        expected = self.model.begin(delivery_id, attempt)
        found = self._do(self.hooks.begin(delivery_id, attempt))
        if expected is None:
            self.begun.append((delivery_id, attempt, found))
            assert found.event_id == self.model.sent[delivery_id].event_id
        else:
            self._same(found, expected)

    @precondition(lambda self: self.begun)
    @rule(
        data=st.data(),
        done=OUTCOMES,
        again=st.sampled_from([False, False, True]),
        repeated=st.sampled_from([1, 1, 1, 3]),
    )
    def finish(
        self, data: st.DataObject, done: DeliveryAttempt, again: bool, repeated: int
    ) -> None:
        """End an attempt, even late, and for deliveries that have ended, were pruned or deleted
        with their webhook."""
        delivery_id, attempt, outgoing = one_of(data, self.begun)
        again = again and done is not GOT
        expected = self.model.finish(delivery_id, attempt, done, again=again)
        for found in self._do(
            finish_at_once(
                self.hooks, repeated, outgoing, attempt, done, retry_in_s=RETRY_S if again else None
            )
        ):
            self._same(found, expected)

    @precondition(lambda self: self.model.pending())
    @rule(done=OUTCOMES)
    def send_all(self, done: DeliveryAttempt) -> None:
        """End all waiting deliveries concurrently, in any order."""
        waiting = {one: self.model.sent[one].attempt + 1 for one in self.model.pending()}
        tried = {one: n for one, n in waiting.items() if self.model.begin(one, n) is None}
        found = self._do(send_all(self.hooks, waiting, done))
        expected = [self.model.finish(one, n, done, again=False) for one, n in tried.items()]
        assert Counter(found) == Counter([*expected, *[SKIPPED] * (len(waiting) - len(tried))])
        # The order determines which are kept, and the counts.
        kept = {row["id"]: row for row in self._do(self._deliveries())}
        before = len(self.model.sent)
        self._adopt(kept)
        assert abs(len(kept) - before) <= sum(map(self.model.is_heard_of, self.model.ended))

    @precondition(lambda self: self.model.sent)
    @rule(data=st.data())
    def replay(self, data: st.DataObject) -> None:
        delivery_id = one_of(data, sorted(self.model.sent))
        first = self.model.sent[delivery_id]
        try:
            replay_id = self._do(self.hooks.replay(self.webhook, delivery_id))
        except DeliveryPending:
            assert first.result is None
        except WebhookDisabled:
            assert self.model.reason is not None
        else:
            assert first.result is not None
            assert self.model.reason is None
            is_test = first.trigger is Trigger.TEST
            self.model.sent[replay_id] = Sent(
                first.event_id, Trigger.TEST if is_test else Trigger.REPLAY
            )

    @rule(limit=st.integers(1, 4))
    def replay_missed(self, limit: int) -> None:
        under_way = {self.model.sent[one].event_id for one in self.model.pending()}
        expected = (self.model.missed & self.model.bodies) - under_way
        try:
            added = self._do(self.hooks.replay_missed(self.webhook, limit=limit))
        except WebhookDisabled:
            assert self.model.reason is not None
            return
        assert self.model.reason is None
        found = {row["id"]: row["event_id"] for row in self._do(self._deliveries())}
        events = [found[delivery_id] for delivery_id in added]
        assert len(events) == len(set(events)) == min(limit, len(expected))
        assert set(events) <= expected
        for delivery_id, event_id in zip(added, events, strict=True):
            self.model.sent[delivery_id] = Sent(event_id, Trigger.REPLAY)

    @rule()
    def test(self) -> None:
        delivery_id = self._do(self.hooks.sample_to(self.webhook))
        row = self._do(only_row(self.database, webhook_deliveries, id=delivery_id))
        self.model.sent[delivery_id] = Sent(row["event_id"], Trigger.TEST)

    @rule()
    def pause(self) -> None:
        self._do(self.hooks.pause(self.webhook))
        self.model.reason = self.model.reason or DisabledReason.MANUAL

    @rule()
    def enable(self) -> None:
        self._do(self.hooks.enable(self.webhook))
        self.model.reason, self.model.count = None, 0

    @rule(in_plan=st.sampled_from([True, True, False]))
    def change_plan(self, in_plan: bool) -> None:
        self._do(self.hooks.set_plan(Plan.PRO if in_plan else Plan.STARTER))
        self.model.in_plan = in_plan

    @precondition(lambda self: self.model.bodies)
    @rule(data=st.data())
    def forget_body(self, data: st.DataObject) -> None:
        event_id = one_of(data, sorted(self.model.bodies))
        self._do(forget_body(self.hooks, event_id))
        self.model.bodies.discard(event_id)

    @rule(policy=st.sampled_from(RetryPolicy))
    def delete(self, policy: RetryPolicy) -> None:
        """Delete a webhook: its deliveries in progress continue; another webhook replaces it."""
        self._do(self.hooks.delete(self.webhook))
        in_plan = self.model.in_plan
        self._subscribe(policy)
        self.model.in_plan = in_plan

    @precondition(lambda self: self.begun)
    @rule(data=st.data())
    def read_what_was_begun(self, data: st.DataObject) -> None:
        delivery_id, _, _ = one_of(data, self.begun)
        try:
            self._do(self.hooks.record(self.webhook, delivery_id))
        except DeliveryNotFound:
            assert delivery_id not in self.model.sent
        else:
            assert delivery_id in self.model.sent

    @invariant()
    def all_agrees(self) -> None:
        if not hasattr(self, "webhook"):
            return
        row = self._do(only_row(self.database, webhook_subscriptions, id=self.webhook.id))
        assert row["failure_count"] == self.model.count
        assert row["is_active"] is (self.model.reason is None)
        assert row["disabled_reason"] == self.model.reason
        missed = self.model.missed & self.model.bodies
        assert self._do(self.hooks.seen(self.webhook)).missed == len(missed)
        noted = self._do(rows(self.database, webhook_misses, webhook_id=self.webhook.id))
        assert {miss["event_id"] for miss in noted} & self.model.bodies == missed

        found = {row["id"]: row for row in self._do(self._deliveries())}
        assert found.keys() == self.model.sent.keys(), "none that waits is pruned"
        assert len(found) - len(self.model.pending()) == len(self.model.ended)
        assert sum(not self.model.is_heard_of(one) for one in self.model.ended) <= KEPT
        for delivery_id, sent in self.model.sent.items():
            row = found[delivery_id]
            assert row["status"] == self.model.known(sent).status
            assert row["attempt"] == sent.attempt
            assert row["failure_count_after"] == sent.count_after

    def _do(self, work: Any) -> Any:
        return self.runner.run(work)

    def _same(self, found: Any, expected: DeliverResult) -> None:
        """Time passes while an attempt waits for the next one."""
        if expected.status is DeliveryStatus.PENDING:
            assert 0 <= found.retry_in_s <= RETRY_S
            found = found.model_copy(update={"retry_in_s": None})
        assert found == expected

    def _subscribe(self, policy: RetryPolicy) -> None:
        self.webhook = self._do(self.hooks.subscribe(retry_policy=policy))
        self.model = Model(policy)

    async def _deliveries(self) -> list[dict[str, Any]]:
        return await rows(self.database, webhook_deliveries, webhook_id=self.webhook.id)

    def _adopt(self, kept: dict[str, dict[str, Any]]) -> None:
        """Copy the database's state of deliveries that ended concurrently."""
        ended = [row for row in kept.values() if row["status"] != DeliveryStatus.PENDING]
        ended.sort(key=lambda row: row["finished_at"])
        self.model.ended = [row["id"] for row in ended]
        notices = {one: self._do(self.hooks.begin(one)) for one in self.model.ended}
        self.model.sent = {
            row["id"]: Sent(
                row["event_id"],
                Trigger(row["trigger"]),
                row["attempt"],
                notices.get(row["id"]),
                row["failure_count_after"],
            )
            for row in kept.values()
        }


def test_counts_records_and_misses_always_agree(
    database_url: str, monkeypatch: pytest.MonkeyPatch, thorough: bool
) -> None:
    monkeypatch.setattr(webhook_rules, "DISABLED_AT", MOST)
    monkeypatch.setattr(webhook_rules, "WARNED_AT", WARNED)
    limits = {"most": MOST, "warned": list(WARNED), "kept": KEPT}
    monkeypatch.setattr(delivery_repository, "END", END.bindparams(**limits))
    monkeypatch.setattr(delivery_repository, "SKIP", SKIP.bindparams(**limits))
    with asyncio.Runner() as runner:

        async def open_database() -> Database:
            return Database(database_url)

        database = runner.run(open_database())

        class Bound(Deliveries):
            pass

        Bound.database, Bound.runner = database, runner
        run_state_machine_as_test(
            Bound,
            settings=settings(
                max_examples=20 if thorough else 8,
                stateful_step_count=30,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
        runner.run(database.close())

"""Reviews: several reviewers, the customer and the clock against a model."""

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from domain.core.errors import DomainError
from domain.reviews.errors import (
    ConversationMovedOn,
    DraftMissing,
    EscalationChanged,
    EscalationClaimed,
    SecondPersonRequired,
)
from domain.reviews.escalation import Choice, Decision
from store.core.database import Database
from store.reviews.escalations import EscalationRepository
from store.reviews.later_turns import LaterTurns, ReviewAsRead, Revision
from store.reviews.tables import escalation_tickets
from tests.support.agent.later_turns import thought_of
from tests.support.core.rows import only_row
from tests.support.reviews.conversations import converse, join, write
from tests.support.reviews.escalation_model import Model
from tests.support.reviews.reviews import DRAFT, open_review, refund
from tests.support.tenants.shop import open_shop

START = datetime(2026, 11, 21, 12, tzinfo=UTC)
PEOPLE = st.sampled_from(["anna", "ben", "chloe"])
TEXTS = st.sampled_from(["Bonjour.", "Au revoir."])
CHOICES = st.sampled_from([Decision.APPROVE, Decision.EDIT, Decision.REJECT])


class Escalations(RuleBasedStateMachine):
    database: Database
    runner: asyncio.Runner

    @initialize(needs_second=st.booleans(), draft=st.sampled_from([DRAFT, DRAFT, ""]))
    def open(self, needs_second: bool, draft: str) -> None:
        self.now = START
        self.model = Model(needs_second, draft)
        self.shop = self._do(open_shop(self.database))  # the hourly limit of each
        self.id = self._do(
            open_review(self.database, self.shop, needs_second=needs_second, draft=draft, now=START)
        )
        self.conversation_id = self._do(converse(self.database, self.shop, self.id))
        self.final: dict[str, Any] | None = None
        self.read = self._do(self._read())

    @rule(person=PEOPLE, force=st.booleans())
    def claim(self, person: str, force: bool) -> None:
        expected = self.model.refusal(person, self.now)
        if force and expected == EscalationClaimed.code:
            expected = None
        assert self._code(self._claim(person, force)) == expected
        if expected is None:
            self.model.claim = (person, self.now)

    @rule(person=PEOPLE)
    def release(self, person: str) -> None:
        expected = self.model.refusal(person, self.now)
        assert self._code(self._release(person)) == expected
        if expected is None:
            self.model.claim = None

    @rule(decision=CHOICES, person=PEOPLE, text=TEXTS, has_read=st.booleans())
    def decide(self, decision: Decision, person: str, text: str, has_read: bool) -> None:
        """Decide as a reviewer who read the current draft, or perhaps only the agent's."""
        seen = self.model.words if has_read and self.model.words else None
        expected = self.model.decide(decision, person, text, self.now, has_read=has_read)
        assert self._do(self._decide(decision, person, text, seen)) == expected

    @rule()
    def join(self) -> None:
        """The customer writes again; the step that adds the message is repeated."""
        where = (self.database, self.shop, self.conversation_id)
        event_id = self._do(write(*where, now=self.now)).event_id
        expected = self.id if self.model.join(event_id) else None
        assert [self._do(join(*where, event_id)) for _ in range(2)] == [expected] * 2

    @rule(person=PEOPLE, decision=st.sampled_from([Decision.APPROVE, Decision.EDIT]))
    def decide_without_the_latest(self, person: str, decision: Decision) -> None:
        """Decide as a reviewer who read only the first message."""
        if self.model.latest is None:
            return
        refused = self.model.refusal(person, self.now) or ConversationMovedOn.code
        assert self._code(self._choose(Choice(decision, person, text="Ah."))) == refused

    @rule()
    def read_it(self) -> None:
        """The agent reads the review, and processes it for some time."""
        self.read = self._do(self._read())

    @rule(text=TEXTS, needs_second=st.booleans())
    def revise(self, text: str, needs_second: bool) -> None:
        """The agent changes the draft and plan, based on an earlier read."""
        model, read = self.model, self.read
        may = not model.decided and read is not None and read.revision == model.revision
        assert self._do(self._revise(text, needs_second)) == may
        if may:
            model.words, model.first, model.revision = text, None, model.revision + 1
            model.needs_second, model.is_edited = needs_second, False

    @rule(person=PEOPLE, decision=st.sampled_from([Decision.APPROVE, Decision.EDIT]))
    def decide_on_the_plan_before(self, person: str, decision: Decision) -> None:
        """Decide as a reviewer who read the latest message, but not the resulting plan."""
        if self.model.revision == 0:
            return
        refused = self.model.refusal(person, self.now) or EscalationChanged.code
        before, latest = self.model.revision - 1, self.model.latest
        choice = Choice(decision, person, text="Ah.", seen_event=latest, seen_revision=before)
        assert self._code(self._choose(choice)) == refused

    @rule(person=PEOPLE)
    def approve_what_is_gone(self, person: str) -> None:
        """Approve as a reviewer who read another text than the current one."""
        refused = self.model.refusal(person, self.now)
        gone = EscalationChanged.code if self.model.words else DraftMissing.code
        if self.model.first == person:
            gone = SecondPersonRequired.code
        latest = self.model.latest
        choice = Choice(
            Decision.APPROVE,
            person,
            seen="gone",
            seen_event=latest,
            seen_revision=self.model.revision,
        )
        assert self._code(self._choose(choice)) == (refused or gone)

    @rule(text=TEXTS)
    def all_at_once(self, text: str) -> None:
        """Three reviewers and the clock: the order is always one that the model allows."""
        before = self.model.decided

        async def everybody() -> Counter[str]:
            each = (self._decide(Decision.REJECT, person, text) for person in ("anna", "ben"))
            return Counter(await asyncio.gather(*each, self._expire()))

        outcomes = self._do(everybody())
        row = self._row()
        assert outcomes["decided"] == (0 if before or row["decision"] == "expire" else 1)
        self.model.decided, self.model.by = Decision(row["decision"]), row["decided_by"]

    @rule()
    def expire(self) -> None:
        self._do(self._expire())
        if not self.model.decided:
            self.model.decided, self.model.by = Decision.EXPIRE, None

    @rule(minutes=st.sampled_from([1, 29, 30]))
    def time_passes(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)

    @invariant()
    def all_agrees(self) -> None:
        if not hasattr(self, "model"):
            return
        row, model = self._row(), self.model
        assert row["decision"] == model.decided
        assert row["decided_by"] == model.by
        assert row["first_approved_by"] == model.first
        assert row["revision"] == model.revision
        assert row.pop("latest_event_id") == model.latest
        assert (row["edited_text"] or row["draft"]) == model.words
        assert model.by is None or model.by != model.first or model.decided is Decision.REJECT
        agreed = 0 if model.decided not in (Decision.APPROVE, Decision.EDIT) else 1
        assert self._do(self._approvals(row["run_id"])) == agreed + (agreed and model.needs_second)
        if model.decided:
            self.final = self.final or row
            assert row == self.final, "what is decided never changes"
        else:
            assert row["status"] == ("claimed" if model.claim else "pending")
            claim = (row["claimed_by"], row["claimed_at"]) if row["claimed_by"] else None
            assert claim == model.claim

    def _do(self, work: Any) -> Any:
        return self.runner.run(work)

    def _code(self, work: Any) -> str | None:
        try:
            self._do(work)
        except DomainError as error:
            return error.code
        return None

    def _row(self) -> dict[str, Any]:
        row: dict[str, Any] = self._do(only_row(self.database, escalation_tickets, id=self.id))
        row.pop("taken_up_at")  # by the run, later
        return row

    async def _claim(self, person: str, force: bool) -> None:
        async with self.database.tenant(self.shop.tenant) as connection:
            repository = EscalationRepository(connection, self.shop.tenant)
            await repository.claim(self.id, person, self.now, force=force)

    async def _release(self, person: str) -> None:
        async with self.database.tenant(self.shop.tenant) as connection:
            repository = EscalationRepository(connection, self.shop.tenant)
            await repository.release(self.id, person, self.now)

    async def _choose(self, choice: Choice) -> bool:
        async with self.database.tenant(self.shop.tenant) as connection:
            repository = EscalationRepository(connection, self.shop.tenant)
            return (await repository.decide(self.id, choice, self.now)).awaits_second

    async def _decide(
        self, decision: Decision, person: str, text: str, seen: str | None = None
    ) -> str:
        words = text if decision is Decision.EDIT else None
        try:
            choice = Choice(
                decision,
                person,
                text=words,
                seen=seen,
                seen_event=self.model.latest,
                seen_revision=self.model.revision,
            )
            first = await self._choose(choice)
        except DomainError as error:
            return error.code
        return "first" if first else "decided"

    async def _read(self) -> ReviewAsRead | None:
        async with self.database.tenant(self.shop.tenant) as connection:
            return await LaterTurns(connection, self.shop.tenant).waiting(self.id)

    async def _revise(self, text: str, needs_second: bool) -> bool:
        if self.read is None:
            return False
        thought = thought_of(text, refund(4990), needs_second=needs_second)
        to = Revision(thought, None, used=frozenset(), covered=frozenset())
        async with self.database.tenant(self.shop.tenant) as connection:
            turns = LaterTurns(connection, self.shop.tenant)
            return await turns.revise(self.id, self.read, to)

    async def _expire(self) -> str:
        async with self.database.tenant(self.shop.tenant) as connection:
            run_id = (await only_row(self.database, escalation_tickets, id=self.id))["run_id"]
            settled = await EscalationRepository(connection, self.shop.tenant).settle(
                run_id, 0, expired=True, now=self.now
            )
        assert settled is not None
        return "expired"

    async def _approvals(self, run_id: str) -> int:
        async with self.database.tenant(self.shop.tenant) as connection:
            return await EscalationRepository(connection, self.shop.tenant).approvals(run_id)


def test_people_and_the_clock(database_url: str, thorough: bool) -> None:
    with asyncio.Runner() as runner:

        async def connected() -> Database:
            return Database(database_url)

        class Bound(Escalations):
            pass

        Bound.runner = runner
        Bound.database = runner.run(connected())
        run_state_machine_as_test(
            Bound,
            settings=settings(
                max_examples=40 if thorough else 12,
                stateful_step_count=15,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
        runner.run(Bound.database.close())

"""The publish gate against a model: after any sequence of actions, no version is live without
passing cases, an override or an earlier live period."""

import asyncio
from collections.abc import Awaitable
from typing import Any, Final

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from domain.cases.case import SavedCase
from domain.cases.errors import CasesNotGreen
from domain.content.content import TemplateChange, TemplateEntry
from domain.core.errors import DomainError
from domain.playbooks.file import PlaybookDraft
from domain.playbooks.playbook import PlaybookSpec
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from services.cases.saved_cases import change_case, delete_case
from services.content.templates import change_template
from services.core.unit_of_work import UnitOfWork
from services.playbooks.playbooks import (
    create_playbook,
    delete_playbook,
    import_playbooks,
    restore_playbook,
    switch_playbook,
    update_playbook,
)
from services.playbooks.publish_gate import Publication
from store.content.content_changes import ContentChanges
from store.core.database import Database
from store.playbooks.playbooks import PlaybookRepository
from store.playbooks.tables import playbook_versions
from tests.support.cases.verdicts import MODEL, case_spec, judge, saved
from tests.support.core.rows import rows
from tests.support.core.units import units_on
from tests.support.tenants.shop import open_shop

OWNER: Final = Actor.person("owner", Role.OWNER)
NAMES: Final = st.sampled_from(["A", "B"])
PATTERNS: Final = st.sampled_from(["mail.*", "mail.in", "chat"])
TYPES: Final = st.sampled_from(["mail.in", "mail.out", "chat"])
THRESHOLDS: Final = st.sampled_from([0.2, 0.9])
WORDS: Final = st.sampled_from(["Bonjour.", "Bonsoir."])
HOW: Final = st.sampled_from([None, None, None, "Urgent."])
SPECS: Final = st.builds(
    PlaybookSpec, name=NAMES, event_type=PATTERNS, threshold=THRESHOLDS, active=st.booleans()
)
SLOTS: Final = st.integers(0, 2)

Version = tuple[str, int]


class Gate(RuleBasedStateMachine):
    database: Database
    runner: asyncio.Runner

    @initialize()
    def open(self) -> None:
        self.shop = self._do(open_shop(self.database, event_type="nothing"))
        self.template = self._do(self._template())
        self.words, self.cases, self.live = "Bonjour.", dict[int, SavedCase](), set[Version]()
        self.passed = dict[tuple[object, ...], bool]()
        self.forced = False
        self.say(self.words)
        self.live = self._live()

    @rule(spec=SPECS, why=HOW)
    def create(self, spec: PlaybookSpec, why: str | None) -> None:
        self._try(lambda work, how: create_playbook(work, OWNER, spec, how), why)

    @rule(specs=st.lists(SPECS, min_size=1, max_size=2, unique_by=lambda one: one.name), why=HOW)
    def bring_in(self, specs: list[PlaybookSpec], why: str | None) -> None:
        self._try(lambda work, how: import_playbooks(work, OWNER, specs, how), why)

    @rule(slot=SLOTS, spec=SPECS, why=HOW)
    def update(self, slot: int, spec: PlaybookSpec, why: str | None) -> None:
        draft = PlaybookDraft(spec, says_active=True)
        if it := self._id(slot):
            self._try(lambda work, how: update_playbook(work, OWNER, it, draft, how), why)

    @rule(slot=SLOTS, version=st.integers(1, 3), why=HOW)
    def restore(self, slot: int, version: int, why: str | None) -> None:
        if it := self._id(slot):
            self._try(lambda work, how: restore_playbook(work, OWNER, it, version, how), why)

    @rule(slot=SLOTS, active=st.booleans(), why=HOW)
    def switch(self, slot: int, active: bool, why: str | None) -> None:
        if it := self._id(slot):
            self._try(lambda work, how: switch_playbook(work, OWNER, it, how, active=active), why)

    @rule(slot=SLOTS)
    def delete(self, slot: int) -> None:
        if it := self._id(slot):
            self._try(lambda work, _: delete_playbook(work, OWNER, it), None)

    @rule(words=WORDS)
    def say(self, words: str) -> None:
        change = TemplateChange(body=words)
        self._try(lambda work, _: change_template(work, OWNER, self.template, change), None)
        self.words = words

    @rule(slot=SLOTS, event_type=TYPES, must=st.booleans())
    def write_case(self, slot: int, event_type: str, must: bool) -> None:
        spec = case_spec(f"case {slot}", event_type=event_type, must=must)
        case = self.cases.get(slot)
        if case is None:
            self.cases[slot] = self._do(saved(self.database, self.shop, spec))
        else:
            self._try(lambda work, _: change_case(work, OWNER, case.id, spec), None)
            self.cases[slot] = case.model_copy(update=dict(spec))

    @rule(slot=SLOTS)
    def drop_case(self, slot: int) -> None:
        if case := self.cases.pop(slot, None):
            self._try(lambda work, _: delete_case(work, OWNER, case.id), None)

    @rule(slot=SLOTS, threshold=THRESHOLDS, passed=st.sampled_from([True, True, False]))
    def judge(self, slot: int, threshold: float, passed: bool) -> None:
        case = self.cases.get(slot)
        if case is not None:
            spec = PlaybookSpec(name="x", event_type="*", threshold=threshold)
            self._do(judge(self.database, self.shop, case, spec, passed=passed))
            self.passed[self._key(case, threshold)] = passed

    @invariant()
    def what_answers_went_live(self) -> None:
        """Check that the version that the last step published was allowed."""
        if not hasattr(self, "live"):
            return
        now = self._live()
        for entry in self._entries():
            if entry.is_active:
                assert (entry.playbook.id, entry.playbook.version) in now
        if not self.forced:
            assert all(self._might(version) for version in now - self.live)
        self.live = now

    def _might(self, version: Version) -> bool:
        """Return naively whether it covers and decides like an earlier live version, or its cases
        pass."""
        by = {(row["playbook_id"], row["version"]): row for row in self._versions()}
        now = (by[version]["event_type"], by[version]["threshold"])
        earlier = [
            (by[one]["event_type"], by[one]["threshold"])
            for one in self.live
            if one[0] == version[0]
        ]
        on = {e.playbook.event_type: e.playbook.id for e in self._entries() if e.is_active}
        mine = []
        for case in self.cases.values():
            kind = case.scenario.event_type
            winner = on.get(kind) or (on.get("mail.*") if kind.startswith("mail.") else None)
            if case.must and winner == version[0]:
                mine.append(case)
        return now in earlier or all(self.passed.get(self._key(case, now[1])) for case in mine)

    def _key(self, case: SavedCase, threshold: float) -> tuple[object, ...]:
        return case.id, case.scenario.event_type, threshold, self.words

    def _try(self, change: Any, why: str | None) -> None:
        """Try the change; a rejection by the gate is only right without an override."""
        self.forced = why is not None

        async def act() -> None:
            async with units_on(self.database).of(self.shop.tenant) as work:
                await self._changed(work, change, Publication(lambda: MODEL, why))

        try:
            self._do(act())
        except DomainError as error:
            is_refused = isinstance(error, CasesNotGreen)
        else:
            is_refused = False
        assert not (is_refused and why), "an override opens the gate"

    async def _changed(self, work: UnitOfWork, change: Any, how: Publication) -> None:
        made: Awaitable[object] = change(work, how)
        await made

    def _id(self, slot: int) -> str | None:
        entries = self._entries()
        return entries[slot].playbook.id if slot < len(entries) else None

    def _live(self) -> set[Version]:
        return {(row["playbook_id"], row["version"]) for row in self._versions() if row["live_at"]}

    def _versions(self) -> Any:
        return self._do(rows(self.database, playbook_versions, of=self.shop))

    def _entries(self) -> Any:
        async def read() -> Any:
            async with self.database.reading(self.shop.tenant) as connection:
                return await PlaybookRepository(connection, self.shop.tenant).all()

        return self._do(read())

    async def _template(self) -> str:
        async with self.database.reading(self.shop.tenant) as connection:
            return (await ContentChanges(connection, self.shop.tenant).all(TemplateEntry))[0].id

    def _do(self, work: Any) -> Any:
        return self.runner.run(work)


def test_nothing_goes_live_by_another_way(database_url: str, thorough: bool) -> None:
    with asyncio.Runner() as runner:

        async def connected() -> Database:
            return Database(database_url)

        class Bound(Gate):
            pass

        Bound.runner = runner
        Bound.database = runner.run(connected())
        run_state_machine_as_test(
            Bound,
            settings=settings(
                max_examples=40 if thorough else 6,
                stateful_step_count=25,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
        runner.run(Bound.database.close())

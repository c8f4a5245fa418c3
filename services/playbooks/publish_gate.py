"""The publish gate checks that a playbook version passes the saved cases before it answers
events."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from domain.cases.digest import NamesModel
from domain.cases.errors import CasesNotGreen
from domain.cases.gate import GateStanding
from domain.playbooks.playbook import PlaybookEntry, check_override
from domain.tenants.actor import OWNERS, Actor
from services.core.unit_of_work import UnitOfWork
from store.cases.case_outcomes import CaseOutcomes
from store.playbooks.live_versions import LiveVersions
from store.playbooks.playbooks import PlaybookRepository


@dataclass(frozen=True, slots=True)
class Publication:
    """The parameters for publishing playbook versions. `override` is the reason for publishing
    despite failed or untried cases, or None."""

    model: NamesModel
    override: str | None = None

    @staticmethod
    def of(model: NamesModel, override: str | None) -> "Publication":
        """Validate the override, and return the parameters for a publication. Raises
        InvalidInput."""
        return Publication(model, None if override is None else check_override(override))

    def permit(self, actor: Actor) -> None:
        """Raise RoleRequired if the gate is overridden and the actor is not an owner."""
        if self.override is not None:
            actor.require(OWNERS)


NEW_CLIENT: Final = Publication(lambda: "")
"""The parameters for publishing a new client's playbooks. Without saved cases, no model is needed.
With saved cases, the gate would never pass."""


async def go_live(
    work: UnitOfWork, actor: Actor, publication: Publication, changed: Collection[str]
) -> None:
    """Pass the changed playbooks that are active in this transaction through the gate. The caller
    must hold the account's lock. Raises CasesNotGreen."""
    entries = await PlaybookRepository(work.connection, work.tenant).all()
    live = LiveVersions(work.connection, work.tenant)
    starting = [
        entry
        for entry in entries
        if entry.playbook.id in changed
        and entry.is_active
        and not entry.rulebook.shadow  # In shadow mode, no answer is sent.
        and not await live.is_live(entry.playbook)
    ]
    if not starting:
        return
    ids = [entry.playbook.id for entry in starting]
    gate = await CaseOutcomes(work.connection, work.tenant).gate(entries, ids, publication.model)
    shut = {playbook_id: one for playbook_id, one in gate.items() if not one.may_pass}
    if shut and publication.override is None:
        raise CasesNotGreen(
            failing=sum(len(one.failing) for one in shut.values()),
            untried=sum(len(one.untried) for one in shut.values()),
            cases=[case.name for one in shut.values() for case in one.failing]
            + [case.name for one in shut.values() for case in one.untried],
        )
    for entry in starting:
        overridden = shut.get(entry.playbook.id)
        await live.go_live(
            entry.playbook,
            work.now,
            overridden_because=publication.override if overridden else None,
        )
        if overridden:
            _note(work, actor, entry, overridden)


def _note(work: UnitOfWork, actor: Actor, entry: PlaybookEntry, gate: GateStanding) -> None:
    """Audit an override of the gate. The version stores the reason because audit entries contain no
    free text."""
    work.note(
        actor,
        "publish gate overridden",
        playbook_id=entry.playbook.id,
        version=str(entry.playbook.version),
        failing=str(len(gate.failing)),
        untried=str(len(gate.untried)),
        reason="on the version",
    )

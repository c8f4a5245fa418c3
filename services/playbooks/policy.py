"""A client's policy: read from its active playbooks, and saved as changes to them.

Saving uses `import_playbooks`, with its publish gate, approvals and audit log.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.cases.digest import NamesModel
from domain.cases.gate import GateStanding
from domain.core.ids import TenantId
from domain.dashboard.errors import ChangedMeanwhile
from domain.playbooks.merge import PlaybookChange
from domain.playbooks.playbook import PlaybookEntry, PlaybookSpec
from domain.playbooks.policy_figures import POLICY_PERIOD, PolicyFigures
from domain.playbooks.policy_matrix import (
    Policy,
    PolicyDifference,
    PolicyEdit,
    changed_playbooks,
    edit_policy,
    policy_differences,
    read_policy,
)
from domain.tenants.actor import ANYONE, MANAGERS, Actor
from services.core.unit_of_work import UnitOfWork
from services.playbooks.playbooks import import_playbooks
from services.playbooks.publish_gate import Publication
from store.cases.case_outcomes import CaseOutcomes
from store.playbooks.playbooks import PlaybookRepository
from store.playbooks.policy_figures import PolicyFiguresReader
from store.playbooks.versions import CurrentVersion, PlaybookVersions
from store.tenants.accounts import AccountRepository


@dataclass(frozen=True, slots=True)
class PolicyReport:
    """The live policy, and the agent's actions under it during `POLICY_PERIOD`."""

    policy: Policy
    figures: PolicyFigures


@dataclass(frozen=True, slots=True)
class PolicyPreview:
    """The effect of an unpublished edit. `changed` are the playbooks that get a new version, by id.
    `gate` is the publish gate's combined decision."""

    after: Policy
    differences: tuple[PolicyDifference, ...]
    changed: tuple[tuple[str, PlaybookSpec], ...]
    gate: GateStanding


async def report_policy(
    connection: AsyncConnection, tenant: TenantId, actor: Actor, now: datetime
) -> PolicyReport:
    """Return the client's policy with its metrics. Raises RoleRequired."""
    actor.require(ANYONE)
    policy = read_policy(await PlaybookRepository(connection, tenant).all())
    figures = await PolicyFiguresReader(connection, tenant).since(now - POLICY_PERIOD)
    return PolicyReport(policy, figures)


async def list_current_versions(
    connection: AsyncConnection, tenant: TenantId, actor: Actor
) -> tuple[CurrentVersion, ...]:
    """Return the current version of each playbook, the newest version first. Raises
    RoleRequired."""
    actor.require(ANYONE)
    return await PlaybookVersions(connection, tenant).current()


async def preview_policy(
    connection: AsyncConnection, tenant: TenantId, actor: Actor, edit: PolicyEdit, model: NamesModel
) -> PolicyPreview:
    """Return the effect of an edit on the client's current policy. Raises RoleRequired, and
    PlaybookNotFound for an unknown channel."""
    actor.require(MANAGERS)
    entries = await PlaybookRepository(connection, tenant).all()
    before = read_policy(entries)
    after = edit_policy(before, edit)
    changed = changed_playbooks(entries, after)
    specs = dict(changed)
    # As in the publish gate, a playbook in shadow mode needs no passed cases.
    gated = [playbook_id for playbook_id, spec in changed if not spec.rulebook.shadow]
    stood = [_next_version(entry, specs) for entry in entries]
    standings = await CaseOutcomes(connection, tenant).gate(stood, gated, model)
    return PolicyPreview(after, policy_differences(before, after), changed, _together(standings))


async def save_policy(
    work: UnitOfWork,
    actor: Actor,
    edit: PolicyEdit,
    publication: Publication,
    *,
    seen: str,
) -> tuple[PlaybookChange, ...]:
    """Publish an edited policy, in all changed playbooks or none. Return the changes.

    `seen` is the digest of the edited policy. Raises RoleRequired, ClientNotFound, ChangedMeanwhile
    for another digest, PlaybookNotFound for an unknown channel, and the errors of
    `import_playbooks`.
    """
    actor.require(MANAGERS)
    publication.permit(actor)
    # No playbook can change between this comparison and the import.
    await AccountRepository(work.connection, work.tenant).lock()
    entries = await PlaybookRepository(work.connection, work.tenant).all()
    policy = read_policy(entries)
    if policy.digest != seen:
        raise ChangedMeanwhile
    changed = changed_playbooks(entries, edit_policy(policy, edit))
    if not changed:
        return ()
    specs = [spec for _, spec in changed]
    return await import_playbooks(work, actor, specs, publication, note=edit.note)


def _next_version(entry: PlaybookEntry, specs: Mapping[str, PlaybookSpec]) -> PlaybookEntry:
    spec = specs.get(entry.playbook.id)
    return entry if spec is None else entry.in_version(entry.playbook.version + 1, spec)


def _together(standings: Mapping[str, GateStanding]) -> GateStanding:
    """Combine the gate decisions of several playbooks. The result passes only if every playbook
    passes."""
    asked = [one for one in standings.values() if not one.was_live]
    return GateStanding(
        was_live=not asked,
        green=tuple(case for one in asked for case in one.green),
        failing=tuple(case for one in asked for case in one.failing),
        untried=tuple(case for one in asked for case in one.untried),
    )

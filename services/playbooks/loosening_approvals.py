"""Approve changes that loosen the agent's limits. A change is applied once it is approved or
due."""

from domain.cases.digest import NamesModel
from domain.core.errors import DomainError
from domain.playbooks.file import PlaybookDraft
from domain.playbooks.loosened import WantedChange
from domain.tenants.actor import MANAGERS, Actor
from domain.tenants.client_settings import SettingsChange
from domain.tenants.errors import RoleRequired
from domain.tenants.four_eyes import check_four_eyes
from domain.tenants.loosening import BY_TIME, HELD_TRUST, Loosening, LooseningState
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
from services.tenants.automation import RESUME, resume_automation
from services.tenants.client_settings import USE as SETTINGS
from services.tenants.client_settings import change_settings
from services.tenants.loosenings import give_trust
from store.tenants.accounts import AccountRepository
from store.tenants.loosenings import LooseningRepository
from store.tenants.standings import MemberStandings


async def approve_loosening(
    work: UnitOfWork, actor: Actor, loosening_id: str, model: NamesModel
) -> Loosening:
    """Approve and apply a pending change, as the second of two managers. Raises RoleRequired,
    LooseningNotFound, LooseningDecided, SecondPersonUnfit, LooseningChanged, and the errors raised
    by the change itself."""
    actor.require(MANAGERS)
    await AccountRepository(work.connection, work.tenant).lock()
    loosenings = LooseningRepository(work.connection, work.tenant)
    found = await loosenings.lock(loosening_id)
    found.check_pending()
    members = await MemberStandings(work.connection, work.tenant).all()
    check_four_eyes(actor, found.requested_by, members, work.now)
    work.note(actor, "loosening approved", loosening_id=loosening_id)
    await _carry_out(work, found, model)
    await loosenings.decide(loosening_id, LooseningState.APPLIED, by=actor.name, now=work.now)
    return await loosenings.read(loosening_id)


async def apply_due_loosening(
    work: UnitOfWork, loosening_id: str, model: NamesModel
) -> LooseningState:
    """Apply a change that is due, or mark it as failed, and return its new state. Idempotent.
    Raises LooseningNotFound."""
    await AccountRepository(work.connection, work.tenant).lock()
    loosenings = LooseningRepository(work.connection, work.tenant)
    found = await loosenings.lock(loosening_id)
    if found.state is not LooseningState.PENDING or work.now < found.takes_effect_at:
        return found.state
    clock = Actor.system(BY_TIME)
    state, error_code = LooseningState.APPLIED, None
    async with work.trial() as trial:
        try:
            await _carry_out(work, found, model)
        except DomainError as error:
            await trial.undo()
            state, error_code = LooseningState.FAILED, error.code
    await loosenings.decide(loosening_id, state, by=BY_TIME, now=work.now, error_code=error_code)
    work.note(clock, f"loosening {state.value}", loosening_id=loosening_id)
    return state


async def _carry_out(work: UnitOfWork, found: Loosening, model: NamesModel) -> None:
    """Apply a change on behalf of the member who requested it. Raises RoleRequired unless this
    member is still a manager."""
    members = await MemberStandings(work.connection, work.tenant).all()
    asked = next((one for one in members if one.user_id == found.requested_by), None)
    if asked is None or not asked.manages:
        raise RoleRequired
    actor = Actor.person(asked.user_id, asked.role)
    if await _beside_playbooks(work, actor, found):
        return
    wanted = WantedChange.model_validate(found.change)
    live = Publication(model, wanted.override)
    match wanted.use:
        case "create":
            (spec,) = wanted.specs
            await create_playbook(work, actor, spec, live, note=wanted.note, granted=found)
        case "update":
            (spec,) = wanted.specs
            draft = PlaybookDraft(spec, says_active=wanted.says_active, note=wanted.note)
            await update_playbook(work, actor, wanted.playbook_id, draft, live, granted=found)
        case "restore":
            playbook_id, version = wanted.playbook_id, wanted.version
            await restore_playbook(
                work, actor, playbook_id, version, live, note=wanted.note, granted=found
            )
        case "import":
            await import_playbooks(work, actor, wanted.specs, live, note=wanted.note, granted=found)
        case "switch":
            playbook_id, active = wanted.playbook_id, wanted.active
            await switch_playbook(work, actor, playbook_id, live, active=active, granted=found)
        case "delete":
            await delete_playbook(work, actor, wanted.playbook_id, granted=found)


async def _beside_playbooks(work: UnitOfWork, actor: Actor, found: Loosening) -> bool:
    """Apply a change to settings, an automation stop, or trust in a credential. For a change to
    playbooks, return False without applying it."""
    use = found.change.get("use")
    if use == SETTINGS:
        change = SettingsChange.model_validate(found.change["settings"])
        await change_settings(work, actor, change, granted=found)
    elif use == RESUME:
        await resume_automation(work, actor, granted=found)
    elif use in HELD_TRUST:
        await give_trust(work, actor, found)
    else:
        return False
    return True


async def note_mailed(work: UnitOfWork, loosening_id: str) -> None:
    """Record that the managers were notified of a change."""
    await LooseningRepository(work.connection, work.tenant).notified(loosening_id, work.now)

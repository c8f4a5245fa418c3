"""Management of a client's playbooks. Each activation sends a webhook event.

A version must pass the publish gate (`services/playbooks/publish_gate.py`) before it answers
events. A change that loosens limits raises LooseningHeld, and is applied later with the approved
change as `granted` (`services/tenants/loosenings.py`). A new version may raise
PlaybookVersionsFull.
"""

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager, nullcontext
from itertools import combinations

from domain.playbooks.errors import (
    PatternTaken,
    PlaybookChanged,
    PlaybookNameTaken,
    TooManyPlaybooks,
)
from domain.playbooks.file import PlaybookDraft
from domain.playbooks.loosened import WantedChange, loosened
from domain.playbooks.merge import ImportOutcome, PlaybookChange, change_of, compare
from domain.playbooks.playbook import MAX_PLAYBOOKS, Playbook, PlaybookEntry, PlaybookSpec
from domain.tenants.actor import MANAGERS, Actor
from domain.tenants.loosening import WAITS, Loosening
from domain.webhooks.outbound_event import PlaybookActivated
from services.core.unit_of_work import UnitOfWork
from services.playbooks.change_limit import refuse_flood
from services.playbooks.publish_gate import NEW_CLIENT, Publication, go_live
from services.tenants.loosenings import held_if_looser
from store.playbooks.live_versions import LiveVersions
from store.playbooks.playbooks import Made, PlaybookRepository
from store.playbooks.versions import PlaybookVersions
from store.tenants.accounts import AccountRepository
from store.webhooks.outbox import Outbox


async def create_playbook(
    work: UnitOfWork,
    actor: Actor,
    spec: PlaybookSpec,
    publication: Publication,
    *,
    note: str | None = None,
    granted: Loosening | None = None,
) -> PlaybookEntry:
    """Create a playbook. `note` is the author's reason. Raises RoleRequired, ClientNotFound,
    TooManyPlaybooks, TooManyPlaybookChanges, PlaybookNameTaken, PatternTaken, and CasesNotGreen."""
    actor.require(MANAGERS)
    publication.permit(actor)
    wanted = WantedChange(use="create", specs=(spec,), note=note, override=publication.override)
    async with _held(work, actor, wanted, granted):
        (change,) = await _compared(work, [spec])
        if change.outcome is not ImportOutcome.CREATED:
            raise PlaybookNameTaken(spec.name)
        await _store(work, actor, change, note)
        await _refuse_taken(work, [change.entry.playbook.id])
        await go_live(work, actor, publication, [change.entry.playbook.id])
    return change.entry


async def update_playbook(
    work: UnitOfWork,
    actor: Actor,
    playbook_id: str,
    draft: PlaybookDraft,
    publication: Publication,
    *,
    granted: Loosening | None = None,
) -> PlaybookChange:
    """Update a playbook to match the draft, including the name. Every change except a change of the
    active flag creates a version.

    Raises RoleRequired, ClientNotFound, PlaybookNotFound, PlaybookChanged, PlaybookNameTaken,
    TooManyPlaybookChanges, PatternTaken, CasesNotGreen.
    """
    actor.require(MANAGERS)
    publication.permit(actor)
    wanted = WantedChange(
        use="update",
        playbook_id=playbook_id,
        specs=(draft.spec,),
        says_active=draft.says_active,
        note=draft.note,
        override=publication.override,
    )
    async with _held(work, actor, wanted, granted):
        before = await _locked(work, playbook_id)
        if draft.expected_version not in (None, before.playbook.version):
            raise PlaybookChanged(before.playbook.version)
        spec = draft.spec
        if not draft.says_active:
            spec = spec.model_copy(update={"active": before.is_active})
        change = await _become(work, actor, before, spec, draft.note)
        await go_live(work, actor, publication, [playbook_id])
    return change


async def restore_playbook(
    work: UnitOfWork,
    actor: Actor,
    playbook_id: str,
    version: int,
    publication: Publication,
    *,
    note: str | None = None,
    granted: Loosening | None = None,
) -> PlaybookChange:
    """Restore an earlier version of a playbook as its next version. The active flag stays. Raises
    the errors of `update_playbook`, with CasesNotGreen only for a version that never answered
    events."""
    actor.require(MANAGERS)
    publication.permit(actor)
    wanted = WantedChange(
        use="restore",
        playbook_id=playbook_id,
        version=version,
        note=note,
        override=publication.override,
    )
    async with _held(work, actor, wanted, granted):
        before = await _locked(work, playbook_id)
        earlier = await PlaybookVersions(work.connection, work.tenant).read(playbook_id, version)
        spec = earlier.spec.model_copy(update={"active": before.is_active})
        change = await _become(work, actor, before, spec, note)
        await go_live(work, actor, publication, [playbook_id])
    return change


async def import_playbooks(
    work: UnitOfWork,
    actor: Actor,
    specs: Sequence[PlaybookSpec],
    publication: Publication,
    *,
    note: str | None = None,
    granted: Loosening | None = None,
) -> tuple[PlaybookChange, ...]:
    """Create or update playbooks by name to match `specs`, all or none. Other playbooks stay
    unchanged. `note` is the author's reason.

    Raises RoleRequired, ClientNotFound, TooManyPlaybooks, TooManyPlaybookChanges, CasesNotGreen,
    and PlaybookNameTaken for an ambiguous name. Raises PatternTaken if `specs` changes one of two
    active playbooks with the same pattern.
    """
    actor.require(MANAGERS)
    publication.permit(actor)
    wanted = WantedChange(
        use="import", specs=tuple(specs), note=note, override=publication.override
    )
    # A new client's first playbooks loosen no limit, because there are no earlier rules.
    is_new = publication is NEW_CLIENT
    async with nullcontext() if is_new else _held(work, actor, wanted, granted):
        changes = await _compared(work, specs)
        for one in changes:
            await _store(work, actor, one, note)
        changed = (one for one in changes if one.outcome is not ImportOutcome.UNCHANGED)
        done = [one.entry.playbook.id for one in changed]
        await _refuse_taken(work, done)
        await go_live(work, actor, publication, done)
    return changes


async def switch_playbook(
    work: UnitOfWork,
    actor: Actor,
    playbook_id: str,
    publication: Publication,
    *,
    active: bool,
    granted: Loosening | None = None,
) -> PlaybookEntry:
    """Activate or deactivate a playbook, if needed. Raises RoleRequired, ClientNotFound,
    PlaybookNotFound, TooManyPlaybookChanges, PatternTaken, and CasesNotGreen for a version that has
    never answered events."""
    actor.require(MANAGERS)
    publication.permit(actor)
    wanted = WantedChange(
        use="switch", playbook_id=playbook_id, active=active, override=publication.override
    )
    async with _held(work, actor, wanted, granted):
        before = await _locked(work, playbook_id)
        spec = before.spec.model_copy(update={"active": active})
        await _become(work, actor, before, spec, None)
        await go_live(work, actor, publication, [playbook_id])
    return await PlaybookRepository(work.connection, work.tenant).read(playbook_id)


async def delete_playbook(
    work: UnitOfWork, actor: Actor, playbook_id: str, *, granted: Loosening | None = None
) -> None:
    """Delete a playbook, and free its name and pattern.

    Its versions are kept to explain its runs, and runs in progress use them. Raises RoleRequired,
    PlaybookNotFound.
    """
    actor.require(MANAGERS)
    wanted = WantedChange(use="delete", playbook_id=playbook_id)
    async with _held(work, actor, wanted, granted):
        await PlaybookRepository(work.connection, work.tenant).delete(playbook_id, work.now)
        work.note(actor, "playbook deleted", playbook_id=playbook_id)


@asynccontextmanager
async def _held(
    work: UnitOfWork, actor: Actor, wanted: WantedChange, granted: Loosening | None
) -> AsyncIterator[None]:
    """Return the context manager in which every use case in this module runs: `held_if_looser` for
    playbooks. It also records the versions that stop answering events."""
    playbooks = PlaybookRepository(work.connection, work.tenant)
    live = LiveVersions(work.connection, work.tenant)

    async def look() -> tuple[Sequence[PlaybookEntry], Sequence[PlaybookEntry]]:
        return await playbooks.all(), await live.stopped_since(work.now - WAITS)

    async with held_if_looser(
        work,
        actor,
        wanted.model_dump(mode="json"),
        look=look,
        compare=lambda before, after: loosened(before[0], after[0], before[1]),
        granted=granted,
    ):
        before = await playbooks.all()
        yield
        answering = {entry.playbook for entry in await playbooks.all() if entry.answers}
        ended = (entry.playbook for entry in before if entry.answers)
        await live.stop([one for one in ended if one not in answering], work.now)


async def _refuse_taken(work: UnitOfWork, changed: Collection[str]) -> None:
    """Raise PatternTaken if a changed playbook and another active playbook have the same pattern.
    An existing conflict between unchanged playbooks is accepted."""
    active = await PlaybookRepository(work.connection, work.tenant).active()
    for one, other in combinations(active, 2):
        if one.event_type == other.event_type and {one.id, other.id} & set(changed):
            taken = other if one.id in changed else one
            raise PatternTaken(one.event_type, taken.name)


async def _compared(work: UnitOfWork, specs: Sequence[PlaybookSpec]) -> tuple[PlaybookChange, ...]:
    """Compare the specs with the client's playbooks, and return the changes. Locks the account, so
    that names stay unique. Raises TooManyPlaybooks, and the errors of `refuse_flood`."""
    await AccountRepository(work.connection, work.tenant).lock()
    entries = await PlaybookRepository(work.connection, work.tenant).all()
    changes = compare(entries, specs, work.new_id)
    made = sum(change.outcome is ImportOutcome.CREATED for change in changes)
    if made and len(entries) + made > MAX_PLAYBOOKS:
        raise TooManyPlaybooks(MAX_PLAYBOOKS)
    await refuse_flood(work, changes)
    return changes


async def _locked(work: UnitOfWork, playbook_id: str) -> PlaybookEntry:
    """Lock the account and return the playbook. The playbook then cannot change until the
    transaction ends."""
    await AccountRepository(work.connection, work.tenant).lock()
    return await PlaybookRepository(work.connection, work.tenant).read(playbook_id)


async def _become(
    work: UnitOfWork, actor: Actor, before: PlaybookEntry, spec: PlaybookSpec, note: str | None
) -> PlaybookChange:
    if spec.name != before.playbook.name:
        entries = await PlaybookRepository(work.connection, work.tenant).all()
        if any(entry.playbook.name == spec.name for entry in entries):
            raise PlaybookNameTaken(spec.name)
    change = change_of(before, spec)
    await refuse_flood(work, [change])
    await _store(work, actor, change, note)
    if change.outcome is not ImportOutcome.UNCHANGED:
        await _refuse_taken(work, [before.playbook.id])
    return change


async def _store(
    work: UnitOfWork, actor: Actor, change: PlaybookChange, note: str | None = None
) -> None:
    made = Made(actor.known_as, note)
    playbooks = PlaybookRepository(work.connection, work.tenant)
    playbook, active = change.entry.playbook, change.entry.is_active
    rulebook = change.entry.rulebook
    match change.outcome:
        case ImportOutcome.UNCHANGED:
            return
        case ImportOutcome.CREATED:
            await playbooks.create(
                playbook, active=active, now=work.now, rulebook=rulebook, made=made
            )
            work.note(actor, "playbook created", playbook_id=playbook.id)
            if active:
                await _tell_activated(work, actor, playbook)
        case ImportOutcome.CHANGED:
            await playbooks.update(playbook, now=work.now, rulebook=rulebook, made=made)
            work.note(actor, "playbook changed", playbook_id=playbook.id)
            await _switch(work, actor, playbook.id, active=active)
        case ImportOutcome.SWITCHED:
            await _switch(work, actor, playbook.id, active=active)


async def _switch(work: UnitOfWork, actor: Actor, playbook_id: str, *, active: bool) -> None:
    playbooks = PlaybookRepository(work.connection, work.tenant)
    switched = await playbooks.switch(playbook_id, active=active)
    if switched is None:
        return
    work.note(actor, "playbook switched", playbook_id=playbook_id, active=str(active).lower())
    if active:
        await _tell_activated(work, actor, switched)


async def _tell_activated(work: UnitOfWork, actor: Actor, playbook: Playbook) -> None:
    """Add an activation's webhook event. Its deduplication key is a new id because the same version
    may be activated several times."""
    activated = PlaybookActivated(
        playbook_id=playbook.id,
        name=playbook.name,
        version=playbook.version,
        event_type=playbook.event_type,
        actor=actor.name,
    )
    outbox = Outbox(work.connection, work.tenant)
    work.deliver(
        *await outbox.add(activated, dedup_key=work.new_id(), now=work.now, new_id=work.new_id)
    )

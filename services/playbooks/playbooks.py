"""What people do with a client's playbooks, and the telling of those that come on.

A merchant's systems hear of each time a playbook comes on, once.
"""

from collections.abc import Collection, Sequence
from itertools import combinations

from domain.core.errors import InvalidInput
from domain.playbooks.errors import PatternTaken
from domain.playbooks.merge import ImportOutcome, PlaybookChange, compare
from domain.playbooks.playbook import Playbook, PlaybookSpec
from domain.tenants.actor import MANAGERS, Actor
from domain.webhooks.outbound_event import PlaybookActivated
from services.core.unit_of_work import UnitOfWork
from store.playbooks.playbooks import PlaybookRepository
from store.tenants.accounts import AccountRepository
from store.webhooks.outbox import Outbox


async def create_playbook(work: UnitOfWork, actor: Actor, spec: PlaybookSpec) -> Playbook:
    """Make one. Raises RoleRequired, ClientNotFound, InvalidInput if its name is taken, and
    PatternTaken if its pattern is."""
    actor.require(MANAGERS)
    (change,) = await _compared(work, [spec])
    if change.outcome is not ImportOutcome.CREATED:
        raise InvalidInput(f"playbook {spec.name}: there is one of this name")
    await _store(work, actor, change)
    await _refuse_taken(work, [change.entry.playbook.id])
    return change.entry.playbook


async def import_playbooks(
    work: UnitOfWork, actor: Actor, specs: Sequence[PlaybookSpec]
) -> tuple[PlaybookChange, ...]:
    """Make the client's playbooks be as `specs` say, by name, all or none; others stay.

    Raises RoleRequired, ClientNotFound, InvalidInput if a name is not of one playbook, and
    PatternTaken if two that are on would want the same events, one of them changed by `specs`.
    """
    actor.require(MANAGERS)
    changes = await _compared(work, specs)
    for change in changes:
        await _store(work, actor, change)
    done = [one for one in changes if one.outcome is not ImportOutcome.UNCHANGED]
    await _refuse_taken(work, [one.entry.playbook.id for one in done])
    return changes


async def switch_playbook(
    work: UnitOfWork, actor: Actor, playbook_id: str, *, active: bool
) -> None:
    """Turn one on or off, unless it is so. Raises RoleRequired, ClientNotFound, PlaybookNotFound,
    PatternTaken."""
    actor.require(MANAGERS)
    await AccountRepository(work.connection, work.tenant).lock()
    await _switch(work, actor, playbook_id, active=active)
    await _refuse_taken(work, [playbook_id])


async def delete_playbook(work: UnitOfWork, actor: Actor, playbook_id: str) -> None:
    """Turn one off for good: it is listed no more, its name and pattern are free, and its versions
    explain the runs that it answered; those that are under way end by it. Raises RoleRequired,
    PlaybookNotFound."""
    actor.require(MANAGERS)
    await PlaybookRepository(work.connection, work.tenant).delete(playbook_id, work.now)
    work.note(actor, "playbook deleted", playbook_id=playbook_id)


async def _refuse_taken(work: UnitOfWork, changed: Collection[str]) -> None:
    """Raises PatternTaken for a playbook that was changed just now, and is on beside another one of
    its pattern. What was so before, and is not touched, stays."""
    active = await PlaybookRepository(work.connection, work.tenant).active()
    for one, other in combinations(active, 2):
        if one.event_type == other.event_type and {one.id, other.id} & set(changed):
            taken = other if one.id in changed else one
            raise PatternTaken(one.event_type, taken.name)


async def _compared(work: UnitOfWork, specs: Sequence[PlaybookSpec]) -> tuple[PlaybookChange, ...]:
    """The lock keeps a name from being given twice meanwhile."""
    await AccountRepository(work.connection, work.tenant).lock()
    entries = await PlaybookRepository(work.connection, work.tenant).all()
    return compare(entries, specs, work.new_id)


async def _store(work: UnitOfWork, actor: Actor, change: PlaybookChange) -> None:
    playbooks = PlaybookRepository(work.connection, work.tenant)
    playbook, active = change.entry.playbook, change.entry.is_active
    rulebook = change.entry.rulebook
    match change.outcome:
        case ImportOutcome.UNCHANGED:
            return
        case ImportOutcome.CREATED:
            await playbooks.create(playbook, active=active, now=work.now, rulebook=rulebook)
            work.note(actor, "playbook created", playbook_id=playbook.id)
            if active:
                await _tell_activated(work, actor, playbook)
        case ImportOutcome.CHANGED:
            await playbooks.update(playbook, now=work.now, rulebook=rulebook)
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
    """Under an id of its own: the same version may go off and come on again."""
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

"""Changes that loosen the agent's rules, which wait for a second manager's approval or one day.

`held_if_looser` compares the settings before and after a use case, and undoes a change that must
wait. A credential is shown only once, so it is created immediately, and `withhold` delays only its
trust.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from pydantic import JsonValue

from domain.tenants.actor import MANAGERS, Actor
from domain.tenants.errors import LooseningChanged, LooseningHeld, TooManyLoosenings
from domain.tenants.four_eyes import is_staff
from domain.tenants.loosening import (
    MAX_PENDING,
    WAITS,
    HeldTrust,
    LoosenedRule,
    Loosening,
    LooseningState,
    audit_ids,
    is_held,
)
from services.core.unit_of_work import UnitOfWork
from store.inbound.endpoints import EndpointRepository
from store.integrations.connection_settings import ConnectionSettings
from store.tenants.accounts import AccountRepository
from store.tenants.client_settings import SettingsRepository
from store.tenants.keys import KeyRepository
from store.tenants.loosenings import LooseningRepository
from store.tenants.standings import MemberStandings
from store.widget.widgets import WidgetRepository

T = TypeVar("T")


@asynccontextmanager
async def held_if_looser(
    work: UnitOfWork,
    actor: Actor,
    change: dict[str, JsonValue],
    *,
    look: Callable[[], Awaitable[T]],
    compare: Callable[[T, T], tuple[LoosenedRule, ...]],
    granted: Loosening | None = None,
) -> AsyncIterator[None]:
    """Run the use case in the block, and undo its change if that loosens rules and must wait.

    `look` reads the affected settings. `granted` is the approved or due change. Each difference is
    audited. Changes by the installation's staff, and dry runs, never wait. Raises LooseningHeld
    with the stored change, LooseningChanged if more is loosened than was granted,
    TooManyLoosenings.
    """
    await AccountRepository(work.connection, work.tenant).lock()
    before = await look()
    waits = not (work.dry_run or is_staff(actor)) and granted is None and await _is_held(work)
    async with work.trial() as trial:
        yield
        # In a thread because comparing a client's playbooks takes up to a tenth of a second.
        found = await asyncio.to_thread(compare, before, await look())
        if waits and found:
            await trial.undo()
    if not found:
        return
    if granted is not None:
        granted.check_covers(found)
    elif waits:
        raise await _request(work, actor, change, found)
    elif not (work.dry_run or is_staff(actor)):
        await _add_loosening(work, actor, change, found, LooseningState.APPLIED)
    for difference in found:
        work.note(actor, "loosened", **audit_ids(difference))


async def withhold(
    work: UnitOfWork, actor: Actor, trust: HeldTrust, found: tuple[LoosenedRule, ...]
) -> bool:
    """Return True if a credential must wait for its trust, and store the request.

    Requests by the installation's staff, and dry runs, never wait. Raises TooManyLoosenings.
    """
    if not found or work.dry_run or is_staff(actor):
        return False
    await AccountRepository(work.connection, work.tenant).lock()
    if not await _is_held(work):
        return False
    await _request(work, actor, trust.model_dump(mode="json"), found)
    return True


async def note_loosened(
    work: UnitOfWork, actor: Actor, trust: HeldTrust, found: tuple[LoosenedRule, ...]
) -> None:
    """Audit a change that loosened rules and took effect immediately. Also store the change, so
    that the managers are notified by email."""
    if found and not (work.dry_run or is_staff(actor)):
        change = trust.model_dump(mode="json")
        await _add_loosening(work, actor, change, found, LooseningState.APPLIED)
    for difference in found:
        work.note(actor, "loosened", **audit_ids(difference))


async def give_trust(work: UnitOfWork, actor: Actor, found: Loosening) -> None:
    """Make a credential trusted once the change is approved or due. `actor` requested it.

    Raises IntegrationNotFound, KeyNotFound, and LooseningChanged for a credential that has changed
    since.
    """
    trust = HeldTrust.model_validate(found.change)
    is_there = True
    match trust.use:
        case "connection":
            connections = ConnectionSettings(work.connection, work.tenant)
            await connections.change(trust.id, trust.settings)
        case "endpoint":
            endpoints = EndpointRepository(work.connection, work.tenant)
            is_there = await endpoints.vouch(trust.id, trust.since)
        case "key":
            await KeyRepository(work.connection).vouch(work.tenant, trust.id)
        case "widget":
            widgets = WidgetRepository(work.connection, work.tenant)
            is_there = await widgets.vouch(trust.since)
    if not is_there:
        raise LooseningChanged(found.id)
    for difference in found.differences:
        work.note(actor, "loosened", **audit_ids(difference))


async def cancel_loosening(work: UnitOfWork, actor: Actor, loosening_id: str) -> Loosening:
    """Cancel a pending change, as any manager may, and return it. Raises RoleRequired,
    LooseningNotFound, LooseningDecided."""
    actor.require(MANAGERS)
    await AccountRepository(work.connection, work.tenant).lock()
    loosenings = LooseningRepository(work.connection, work.tenant)
    (await loosenings.lock(loosening_id)).check_pending()
    await loosenings.decide(loosening_id, LooseningState.CANCELLED, by=actor.known_as, now=work.now)
    work.note(actor, "loosening cancelled", loosening_id=loosening_id)
    return await loosenings.read(loosening_id)


async def _is_held(work: UnitOfWork) -> bool:
    settings = await SettingsRepository(work.connection, work.tenant).read()
    members = await MemberStandings(work.connection, work.tenant).all()
    left = await LooseningRepository(work.connection, work.tenant).manager_left_at()
    return is_held(settings, members, left, work.now)


async def _request(
    work: UnitOfWork, actor: Actor, change: dict[str, JsonValue], found: tuple[LoosenedRule, ...]
) -> LooseningHeld:
    if await LooseningRepository(work.connection, work.tenant).pending() >= MAX_PENDING:
        raise TooManyLoosenings(MAX_PENDING)
    stored = await _add_loosening(work, actor, change, found, LooseningState.PENDING)
    for difference in found:
        work.note(actor, "loosening requested", loosening_id=stored.id, **audit_ids(difference))
    return LooseningHeld(stored.id, stored.takes_effect_at)


async def _add_loosening(
    work: UnitOfWork,
    actor: Actor,
    change: dict[str, JsonValue],
    found: tuple[LoosenedRule, ...],
    state: LooseningState,
) -> Loosening:
    """Store a change that loosens rules, and return it. The sweep then notifies the managers by
    email."""
    pending = state is LooseningState.PENDING
    loosening = Loosening(
        id=work.new_id(),
        state=state,
        change=change,
        differences=found,
        requested_by=actor.name,
        created_at=work.now,
        takes_effect_at=work.now + WAITS if pending else work.now,
        decided_by=None if pending else actor.name,
        decided_at=None if pending else work.now,
    )
    await LooseningRepository(work.connection, work.tenant).add(loosening)
    return loosening

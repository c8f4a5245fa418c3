"""Start and stop replays of past events."""

from datetime import datetime

from domain.core import names
from domain.core.contracts import BackgroundRef
from domain.privacy.retention import RecordClass, kept_from
from domain.simulation.errors import InvalidReplay, ReplayUnderWay
from domain.simulation.replay import (
    MAX_BUDGET_MICROS,
    MAX_BUDGET_S,
    REPLAY_SPAN,
    Replay,
    ReplayAsked,
    ReplayState,
    ReplayStop,
)
from domain.tenants.actor import MANAGERS, Actor
from services.core.unit_of_work import UnitOfWork
from store.privacy.retention import RetentionRepository
from store.simulation.replays import ReplayRepository
from store.simulation.tried_variant import TriedVariants
from store.tenants.accounts import AccountRepository


async def start_replay(work: UnitOfWork, actor: Actor, asked: ReplayAsked) -> Replay:
    """Start a replay of past events in a worker after the commit. Events that retention removes
    soon are omitted.

    Raises RoleRequired, ClientNotFound, ReplayUnderWay, PlaybookNotFound, PatternTaken, and
    InvalidReplay for an empty period, a budget out of bounds, or a variant that changes content.
    """
    actor.require(MANAGERS)
    since, until = await _span(work, asked)
    _check(asked)
    await AccountRepository(work.connection, work.tenant).lock()
    replays = ReplayRepository(work.connection, work.tenant)
    if await replays.is_under_way():
        raise ReplayUnderWay
    await TriedVariants(work.connection, work.tenant).check(asked.variant)
    replay = Replay(
        id=work.new_id(),
        variant=asked.variant,
        since=since,
        until=until,
        state=ReplayState.QUEUED,
        budget_micros=asked.budget_micros,
        budget_s=asked.budget_s,
        started_by=actor.known_as,
        created_at=work.now,
    )
    await replays.create(replay)
    work.begin(names.REPLAY, BackgroundRef(client_id=work.tenant, record_id=replay.id))
    work.note(actor, "replay started", replay_id=replay.id)
    return replay


async def stop_replay(work: UnitOfWork, actor: Actor, replay_id: str) -> Replay:
    """Stop a replay, without the results of the page in progress. A finished replay stays
    unchanged. Raises RoleRequired, ReplayNotFound."""
    actor.require(MANAGERS)
    replays = ReplayRepository(work.connection, work.tenant)
    await replays.read(replay_id, lock=True)
    if await replays.end(replay_id, ReplayState.STOPPED, work.now, why=ReplayStop.PERSON):
        work.note(actor, "replay stopped", replay_id=replay_id)
    return await replays.read(replay_id)


async def _span(work: UnitOfWork, asked: ReplayAsked) -> tuple[datetime, datetime]:
    until = min(asked.until or work.now, work.now)
    since = asked.since or until - REPLAY_SPAN
    overrides = await RetentionRepository(work.connection, work.tenant).overrides()
    kept = kept_from(RecordClass.CONVERSATIONS, overrides, work.now)
    if kept is not None:
        since = max(since, kept)
    if since >= until:
        raise InvalidReplay(
            "since: a time before `until`, and within the client's retention",
            "`since` doit précéder `until`, dans la durée de conservation",
        )
    return since, until


def _check(asked: ReplayAsked) -> None:
    """Raise InvalidReplay if the replay's parameters are invalid. A replay cannot test changes to
    content; saved cases can (docs/simulator.md)."""
    if asked.variant.content is not None:
        raise InvalidReplay(
            "variant: a replay tries a playbook, a threshold or a brain",
            "`variant` : un playbook, un seuil ou un cerveau",
        )
    tried = asked.variant
    if tried.version is not None and (tried.playbook_id is None or tried.draft is not None):
        raise InvalidReplay(
            "version: of a stored playbook, without a draft",
            "`version` : celle d'un playbook enregistré, sans brouillon",
        )
    if not 0 <= asked.budget_micros <= MAX_BUDGET_MICROS:
        raise InvalidReplay(
            f"budget_micros: from 0 to {MAX_BUDGET_MICROS}",
            f"`budget_micros` : de 0 à {MAX_BUDGET_MICROS}",
        )
    if not 1 <= asked.budget_s <= MAX_BUDGET_S:
        raise InvalidReplay(
            f"budget_s: from 1 to {MAX_BUDGET_S} seconds",
            f"`budget_s` : de 1 à {MAX_BUDGET_S} secondes",
        )

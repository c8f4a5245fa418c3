"""Limits on playbook changes. Each version is stored, and each activation sends a webhook event."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from domain.playbooks.errors import PlaybookVersionsFull, TooManyPlaybookChanges
from domain.playbooks.merge import ImportOutcome, PlaybookChange
from domain.playbooks.playbook import MAX_DAY_CHANGES, MAX_VERSION_BYTES
from services.core.unit_of_work import UnitOfWork
from store.playbooks.playbooks import PlaybookRepository

_DAY: Final = timedelta(days=1)


async def refuse_flood(work: UnitOfWork, changes: Sequence[PlaybookChange]) -> None:
    """Check playbook changes against the limits. The caller must hold the account's lock.

    Raises TooManyPlaybookChanges beyond a day's versions and activations, and PlaybookVersionsFull
    for a new version beyond the storage limit. The last accepted changes may exceed it.
    """
    new = sum(_is_version(one) + _is_activation(one) for one in changes)
    if not new:
        return
    playbooks = PlaybookRepository(work.connection, work.tenant)
    done = await playbooks.changes_since(work.now - _DAY, MAX_DAY_CHANGES)
    if done + new > MAX_DAY_CHANGES:
        raise TooManyPlaybookChanges(MAX_DAY_CHANGES)
    if any(map(_is_version, changes)) and await playbooks.version_bytes() >= MAX_VERSION_BYTES:
        raise PlaybookVersionsFull


def _is_version(change: PlaybookChange) -> bool:
    return change.outcome in (ImportOutcome.CREATED, ImportOutcome.CHANGED)


def _is_activation(change: PlaybookChange) -> bool:
    is_switched = change.outcome is ImportOutcome.CREATED or "active" in change.fields
    return change.entry.is_active and is_switched

"""How many versions of playbooks a client makes. They are kept, so that a run can be explained."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from domain.playbooks.errors import TooManyVersions
from domain.playbooks.merge import ImportOutcome, PlaybookChange
from domain.playbooks.playbook import MAX_DAY_VERSIONS
from services.core.unit_of_work import UnitOfWork
from store.playbooks.playbooks import PlaybookRepository

_DAY: Final = timedelta(days=1)


async def refuse_flood(work: UnitOfWork, changes: Sequence[PlaybookChange]) -> None:
    """Raises TooManyVersions where the changes make more than a client may have of a day. Call it
    behind the account's lock."""
    new = sum(one.outcome in (ImportOutcome.CREATED, ImportOutcome.CHANGED) for one in changes)
    if not new:
        return
    made = await PlaybookRepository(work.connection, work.tenant).versions_since(
        work.now - _DAY, MAX_DAY_VERSIONS
    )
    if made + new > MAX_DAY_VERSIONS:
        raise TooManyVersions(MAX_DAY_VERSIONS)

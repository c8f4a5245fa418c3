"""What a change of content costs: cases that are green until they are run again."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from domain.cases.digest import NamesModel
from services.core.unit_of_work import UnitOfWork
from store.cases.verdicts import Verdicts


@dataclass(slots=True)
class LostVerdicts:
    """`count`: of cases that a playbook must pass, once the block has ended."""

    count: int = 0


@asynccontextmanager
async def counting_lost(work: UnitOfWork, model: NamesModel) -> AsyncIterator[LostVerdicts]:
    """Counts the cases that are green on what is live before the block and not after it."""
    verdicts, lost = Verdicts(work.connection, work.tenant), LostVerdicts()
    before = await verdicts.green(model)
    yield lost
    lost.count = len(before - await verdicts.green(model)) if before else 0

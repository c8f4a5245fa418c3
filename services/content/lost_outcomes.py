"""Cases whose green result is lost through a change of content, until they are run again."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from domain.cases.digest import NamesModel
from services.core.unit_of_work import UnitOfWork
from store.cases.case_outcomes import CaseOutcomes


@dataclass(slots=True)
class LostOutcomes:
    """`count`: how many cases that a playbook must pass have lost their green result. Set when the
    block ends."""

    count: int = 0


@asynccontextmanager
async def counting_lost(work: UnitOfWork, model: NamesModel) -> AsyncIterator[LostOutcomes]:
    """Count the cases that are green on the live content before the block but not after it."""
    verdicts, lost = CaseOutcomes(work.connection, work.tenant), LostOutcomes()
    before = await verdicts.green(model)
    yield lost
    lost.count = len(before - await verdicts.green(model)) if before else 0

"""Detect saved cases whose passing results a content change invalidates. These cases must be run
again."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from domain.cases.digest import NamesModel
from services.core.unit_of_work import UnitOfWork
from store.cases.case_outcomes import CaseOutcomes


@dataclass(slots=True)
class LostOutcomes:
    """The effect of a content change on saved cases. `count` is the number of cases that no longer
    pass, set at the end of the `counting_lost` block."""

    count: int = 0


@asynccontextmanager
async def counting_lost(work: UnitOfWork, model: NamesModel) -> AsyncIterator[LostOutcomes]:
    """Count the cases that pass with the live content before the block, but no longer pass after
    it. Yield the object that contains the count."""
    verdicts, lost = CaseOutcomes(work.connection, work.tenant), LostOutcomes()
    before = await verdicts.green(model)
    yield lost
    lost.count = len(before - await verdicts.green(model)) if before else 0

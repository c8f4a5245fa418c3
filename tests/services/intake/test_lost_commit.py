"""The caller's response if the database disconnects during an admission's COMMIT."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from adapters.system import new_ulid, utc_now
from domain.core.errors import CommitUnknown, DomainError, EngineUnavailable
from domain.core.ids import TenantId
from domain.runs.errors import AnswerDelayed, AnswerUnknown
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitOfWork, UnitsOfWork
from services.intake.admission import receive_event
from services.intake.entry_limiter import EntryLimiter
from store.core.database import PATIENCE_S, Database
from store.intake.tables import engine_events
from tests.support.core.rows import rows
from tests.support.core.units import Recorder
from tests.support.intake.admission import arrival
from tests.support.tenants.shop import Shop


class BreakingUnits(UnitsOfWork):
    """The first unit of work gets no response to its COMMIT; with `away`, later ones fail as
    well."""

    def __init__(self, database: Database, *, stored: bool, away: bool = False) -> None:
        super().__init__(database, Recorder(), utc_now, new_ulid)
        self._stored, self._away, self._opened_before = stored, away, False

    @asynccontextmanager
    async def of(
        self,
        tenant: TenantId,
        *,
        patience_s: float = PATIENCE_S,
        dry_run: bool = False,
        keeps_plans: bool = False,
    ) -> AsyncIterator[UnitOfWork]:
        if self._opened_before and self._away:
            raise EngineUnavailable("away")
        first, self._opened_before = not self._opened_before, True
        opened = super().of(tenant, patience_s=patience_s, dry_run=dry_run, keeps_plans=keeps_plans)
        async with opened as work:
            yield work
            if first and not self._stored:
                raise CommitUnknown("lost before it was done")
        if first:
            raise CommitUnknown("lost after it was done")


@pytest.mark.parametrize(
    ("stored", "away", "told"),
    [
        (True, False, AnswerDelayed),
        (False, False, EngineUnavailable),
        (True, True, AnswerUnknown),
    ],
)
async def test_the_caller_is_told_what_is_known(
    database: Database, shop: Shop, told: type[DomainError], *, stored: bool, away: bool
) -> None:
    units = BreakingUnits(database, stored=stored, away=away)

    with pytest.raises(told) as refused:
        await receive_event(
            units,
            EntryLimiter(patience_s=1),
            Actor.key(shop.key_id),
            arrival(),
            tenant=shop.tenant,
            now=utc_now,
        )

    assert type(refused.value) is told
    assert len(await rows(database, engine_events, of=shop)) == stored

"""Insight: the metrics for a range of days, compared with those for the preceding range."""

from datetime import date
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.analytics.insight import Insight, before, change, period, reasons, slices, whole
from domain.core.ids import TenantId
from domain.tenants.actor import ANYONE, Actor
from store.analytics.churn import ChurnRepository
from store.analytics.metrics import MetricsRepository

MAX_DAYS: Final = 366
"""Maximum length of a range of days, in days."""


async def read_insight(
    connection: AsyncConnection,
    tenant: TenantId,
    actor: Actor,
    span: tuple[date, date],
    *,
    compare: bool,
) -> Insight:
    """Return the metrics for the days in `span`, at most `MAX_DAYS`, and for the preceding range.
    Raises RoleRequired.

    Only daily rows are read, so the cost does not depend on the number of tickets.
    """
    actor.require(ANYONE)
    repository = MetricsRepository(connection, tenant)
    days = await repository.insight(*span)
    now = period(*span, days)
    previous = None
    if compare:
        earlier = before(*span)
        previous = period(*earlier, await repository.insight(*earlier))
    counted = whole(days)
    names = await repository.playbook_names()
    return Insight(
        period=now,
        previous=previous,
        change=change(now.figures, previous.figures) if previous else None,
        by_class=slices(counted, lambda day: day.by_class),
        by_playbook=slices(counted, lambda day: day.by_playbook, names),
        by_channel=slices(counted, lambda day: day.by_channel),
        by_reason=reasons(counted),
        churn=await ChurnRepository(connection, tenant).risk(span[1]),
    )

"""Knowledge gaps: what customers asked and the agent could not answer."""

from datetime import datetime, timedelta

from domain.analytics.gaps import GapSpan, KnowledgeGaps
from domain.analytics.ports import ReadsQuestions
from domain.core.ids import TenantId
from domain.tenants.actor import ANYONE, Actor
from store.core.database import Database


async def knowledge_gaps(
    database: Database,
    tenant: TenantId,
    actor: Actor,
    reader: ReadsQuestions,
    *,
    span: GapSpan,
    now: datetime,
    limit: int,
) -> KnowledgeGaps:
    """The `limit` largest gaps of the days of `span` before `now`. No transaction is held while
    the questions are put into clusters, which ends with OverBudget if they cost too much.

    Raises RoleRequired, OverBudget.
    """
    actor.require(ANYONE)
    since = now - timedelta(days=span)
    raise NotImplementedError(since)

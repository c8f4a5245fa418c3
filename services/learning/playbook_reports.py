"""What a playbook's past says of it: how it does in shadow mode, and what another threshold would
have meant. For every member of the client; both are only read."""

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.brain import Category
from domain.core.ids import TenantId
from domain.learning.shadow_report import ShadowReport
from domain.learning.threshold_advice import ThresholdAdvice, advise
from store.learning.shadow_counts import ShadowCounts
from store.learning.threshold_outcomes import ThresholdOutcomes
from store.playbooks.playbooks import PlaybookRepository


async def shadow_report(
    connection: AsyncConnection, tenant: TenantId, playbook_id: str
) -> ShadowReport:
    """Raises PlaybookNotFound."""
    entry = await PlaybookRepository(connection, tenant).read(playbook_id)
    return await ShadowCounts(connection, tenant).report(entry.playbook.id)


async def threshold_advice(
    connection: AsyncConnection, tenant: TenantId, playbook_id: str, classification: Category | None
) -> ThresholdAdvice:
    """Of one class, or of all. Raises PlaybookNotFound."""
    entry = await PlaybookRepository(connection, tenant).read(playbook_id)
    history = await ThresholdOutcomes(connection, tenant).last(entry.playbook.id, classification)
    return advise(history, entry.playbook.threshold)

"""Reports on a playbook: its results in shadow mode, and the effect that a different threshold
would have had on past runs. Every member of the client may read both reports."""

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.brain import Category
from domain.core.ids import TenantId
from domain.learning.confidence_counts import ConfidenceBin, count_confidences
from domain.learning.shadow_report import ShadowReport
from domain.learning.threshold_advice import ThresholdAdvice, advise
from domain.playbooks.playbook import PlaybookEntry
from store.learning.shadow_counts import ShadowCounts
from store.learning.threshold_outcomes import ThresholdOutcomes
from store.playbooks.playbooks import PlaybookRepository


@dataclass(frozen=True, slots=True)
class ThresholdPicture:
    """The advice on a playbook's threshold, and the underlying runs' confidence scores."""

    entry: PlaybookEntry
    advice: ThresholdAdvice
    bins: tuple[ConfidenceBin, ...]


async def shadow_report(
    connection: AsyncConnection, tenant: TenantId, playbook_id: str
) -> ShadowReport:
    """Return a playbook's results in shadow mode. Raises PlaybookNotFound."""
    entry = await PlaybookRepository(connection, tenant).read(playbook_id)
    return await ShadowCounts(connection, tenant).report(entry.playbook.id)


async def threshold_advice(
    connection: AsyncConnection, tenant: TenantId, playbook_id: str, classification: Category | None
) -> ThresholdAdvice:
    """Return the advice on a playbook's threshold, for one category or for all. Raises
    PlaybookNotFound."""
    return (await threshold_picture(connection, tenant, playbook_id, classification)).advice


async def threshold_picture(
    connection: AsyncConnection, tenant: TenantId, playbook_id: str, classification: Category | None
) -> ThresholdPicture:
    """Return the advice on a playbook's threshold, with the underlying confidence scores. Raises
    PlaybookNotFound."""
    entry = await PlaybookRepository(connection, tenant).read(playbook_id)
    history = await ThresholdOutcomes(connection, tenant).last(entry.playbook.id, classification)
    advice = advise(history, entry.playbook.threshold)
    return ThresholdPicture(entry, advice, count_confidences(history))

"""What a playbook's past says of it: how it does in shadow mode, and what another threshold would
have meant. For every member of the client; both are only read."""

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
    """The advice for a playbook, with the confidences that it comes from."""

    entry: PlaybookEntry
    advice: ThresholdAdvice
    bins: tuple[ConfidenceBin, ...]


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
    return (await threshold_picture(connection, tenant, playbook_id, classification)).advice


async def threshold_picture(
    connection: AsyncConnection, tenant: TenantId, playbook_id: str, classification: Category | None
) -> ThresholdPicture:
    """The same with what it is drawn from. Raises PlaybookNotFound."""
    entry = await PlaybookRepository(connection, tenant).read(playbook_id)
    history = await ThresholdOutcomes(connection, tenant).last(entry.playbook.id, classification)
    advice = advise(history, entry.playbook.threshold)
    return ThresholdPicture(entry, advice, count_confidences(history))

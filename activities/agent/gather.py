"""What a client has to think with beside the message: content, connections, whether a shop."""

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.brain import Passage, Template
from domain.agent.embedding import Embedding
from domain.agent.situation import Connection
from domain.core.ids import TenantId
from domain.intake.event import UnifiedEvent
from store.content.content import ContentRepository
from store.integrations.integrations import IntegrationRepository


@dataclass(frozen=True, slots=True)
class Gathered:
    """`has_shop`: one is connected, though it may not take our credentials at the moment."""

    templates: tuple[Template, ...]
    passages: tuple[Passage, ...]
    connections: tuple[Connection, ...]
    has_shop: bool


async def gather(
    connection: AsyncConnection, tenant: TenantId, event: UnifiedEvent, near: Embedding | None
) -> Gathered:
    """`near`: the embedding of the message; None: knowledge is found by words alone."""
    content = ContentRepository(connection, tenant)
    return Gathered(
        templates=await content.templates(),
        passages=await content.search(event.words, near),
        connections=await connections(connection, tenant),
        has_shop=await IntegrationRepository(connection, tenant).has_shop(),
    )


async def connections(connection: AsyncConnection, tenant: TenantId) -> tuple[Connection, ...]:
    return tuple(
        Connection(integration_id=it.id, provider=it.provider)
        for it in await IntegrationRepository(connection, tenant).connected()
    )

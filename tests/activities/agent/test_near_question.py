"""A question is embedded only where something can be compared with it."""

from activities.agent.gather import near_question
from domain.agent.embedding import Embedding
from domain.intake.event import InboundEvent
from domain.intake.normalization import normalize
from store.core.database import Database
from tests.support.tenants.shop import Shop


class _Embedder:
    model = "test:3"

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def embed(self, texts: tuple[str, ...]) -> tuple[Embedding, ...]:
        raise NotImplementedError

    async def near(self, text: str) -> Embedding | None:
        self.asked.append(text)
        return None


async def test_a_shop_without_embedded_knowledge_embeds_no_question(
    database: Database, shop: Shop
) -> None:
    inbound = InboundEvent(event_type="ticket.created", message="Is it waterproof?")
    event, embedder = normalize(inbound, fallback_ticket_id="t"), _Embedder()

    assert await near_question(database, shop.tenant, embedder, event) is None
    assert embedder.asked == []

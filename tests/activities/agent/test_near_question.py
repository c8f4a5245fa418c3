"""A question is embedded only if there are embeddings to compare it with."""

import sqlalchemy as sa

from activities.agent.gather import near_question
from adapters.system import new_ulid, utc_now
from domain.agent.embedding import Embedding
from domain.core.ids import TenantId
from domain.intake.event import InboundEvent
from domain.intake.normalization import normalize
from store.content.content import ContentRepository
from store.core.database import Database
from tests.support.tenants.shop import Shop


class _Embedder:
    model = "test:3"

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def embed(self, texts: tuple[str, ...]) -> tuple[Embedding, ...]:
        raise NotImplementedError

    async def near(self, tenant: TenantId, text: str, *, live: bool) -> Embedding | None:  # noqa: ARG002 - the port
        self.asked.append(text)
        return None


async def test_a_shop_without_embedded_knowledge_embeds_no_question(
    database: Database, shop: Shop
) -> None:
    inbound = InboundEvent(event_type="ticket.created", message="Is it waterproof?")
    event, embedder = normalize(inbound, fallback_ticket_id="t"), _Embedder()

    assert await near_question(database, shop.tenant, embedder, event) is None
    assert embedder.asked == []


async def test_one_with_embeddings_of_the_same_model_does(database: Database, shop: Shop) -> None:
    inbound = InboundEvent(event_type="ticket.created", message="Is it waterproof?")
    event, embedder = normalize(inbound, fallback_ticket_id="t"), _Embedder()
    entry_id, now = new_ulid(), utc_now()
    async with database.service() as connection:
        await ContentRepository(connection, shop.tenant).add_knowledge(
            entry_id=entry_id, title="Rain", body="It is.", language="en", now=now
        )
        await connection.execute(
            sa.text(
                "INSERT INTO knowledge_chunks (client_id, entry_id, place, model, digest, heading,"
                " sentences, embedding, sentence_embeddings, created_at) VALUES (:client, :entry,"
                " 0, :model, '', '', '{}', '[1,0,0]', '{}', :now)"
            ),
            {"client": shop.client_id, "entry": entry_id, "model": embedder.model, "now": now},
        )

    await near_question(database, shop.tenant, embedder, event)

    assert embedder.asked == [event.words]

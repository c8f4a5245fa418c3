"""Gather the data that the agent needs for a decision: the client's content, connections and shop
state."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.brain import CorrectedAnswer, Passage, Template
from domain.agent.embedding import Embedding
from domain.agent.own_head import OwnHead
from domain.agent.policy_context import Connection, connections_of
from domain.agent.ports import Embedder
from domain.agent.size_limits import WHOLE_KNOWLEDGE_CHARS
from domain.core.ids import TenantId
from domain.core.recent import Recent
from domain.core.text_size import text_bytes
from domain.intake.event import UnifiedEvent
from domain.learning.answer_examples import impersonal_example, nearest_examples
from store.content.content import ContentRepository, ShownTemplates
from store.content.knowledge_chunks import is_embedded
from store.content.knowledge_search import KnowledgeSearch
from store.core.database import Database
from store.integrations.integrations import IntegrationRepository
from store.learning.labelled_examples import LabelledExampleRepository
from store.learning.own_heads import OwnHeadRepository

# Caches the templates of recently active clients, so that unchanged ones are not parsed again.
# Sizes are in bytes. The most templates that a client may have, with wide characters, take 20 MB.
_ENTRY: Final = 500
_TEMPLATE: Final = 1_500
_SHOWN: Final[Recent[TenantId, ShownTemplates]] = Recent(limit=60_000_000)
# Number of characters of a message that are compared with examples.
_MESSAGE_CHARS: Final = 2_000
# This cache contains the classifier heads of recently active clients. Sizes are in bytes.
_HEADS: Final[Recent[TenantId, OwnHead]] = Recent(limit=20_000_000)


@dataclass(frozen=True, slots=True)
class Gathered:
    """The data gathered for a client. `has_shop` means that a shop is connected, even if it rejects
    our credentials. `knowledge` contains all entries for a language model, or none if they are too
    long. `examples` are human agents' answers to similar messages, for a language model."""

    templates: tuple[Template, ...]
    passages: tuple[Passage, ...]
    connections: tuple[Connection, ...]
    has_shop: bool
    own_head: OwnHead | None = None
    knowledge: tuple[Passage, ...] = ()
    examples: tuple[CorrectedAnswer, ...] = ()


async def useful_embedder(
    connection: AsyncConnection, tenant: TenantId, embedder: Embedder | None
) -> Embedder | None:
    """Return the embedder if the client has knowledge with embeddings, otherwise None. Computing a
    question's embedding takes longer than all other steps, and is pointless if the client has no
    embeddings to compare it with."""
    if embedder is None or not await is_embedded(connection, tenant, embedder.model):
        return None
    return embedder


async def near_question(
    database: Database,
    tenant: TenantId,
    embedder: Embedder | None,
    event: UnifiedEvent,
    *,
    live: bool = False,
) -> Embedding | None:
    """Return the message's embedding for `gather`, or None if the client has no embeddings.
    Computed outside any transaction. If `live` is true, a customer is waiting for the answer."""
    if embedder is None:
        return None
    async with database.reading(tenant) as connection:
        useful = await useful_embedder(connection, tenant, embedder)
    return None if useful is None else await useful.near(tenant, event.words, live=live)


async def gather(
    connection: AsyncConnection,
    tenant: TenantId,
    event: UnifiedEvent,
    near: Embedding | None,
    *,
    for_model: bool = False,
) -> Gathered:
    """Return a client's data for an event. Without `near`, the message's embedding, only keyword
    search finds knowledge. If `for_model` is true, all knowledge and the nearest examples are
    included, for a language model's prompt."""
    usable = await IntegrationRepository(connection, tenant).usable_connections()
    search = KnowledgeSearch(connection, tenant)
    return Gathered(
        templates=await _templates(ContentRepository(connection, tenant), tenant),
        passages=await search.find(event.words, near),
        knowledge=await search.whole(WHOLE_KNOWLEDGE_CHARS) if for_model else (),
        connections=connections_of(usable.connected),
        has_shop=usable.has_shop,
        examples=await _examples(connection, tenant, event.words, near) if for_model else (),
        own_head=await _own_head(OwnHeadRepository(connection, tenant), tenant),
    )


async def connections(connection: AsyncConnection, tenant: TenantId) -> tuple[Connection, ...]:
    """Return the connections that the agent can use for actions. Connections that only receive
    webhooks are omitted."""
    return connections_of(await IntegrationRepository(connection, tenant).connected())


async def _templates(content: ContentRepository, tenant: TenantId) -> tuple[Template, ...]:
    known = _SHOWN.get(tenant)
    shown = await content.templates(known)
    if shown is not known:
        # Add a base size to each entry because even the empty result of a client without templates
        # uses memory.
        _SHOWN.keep(tenant, shown, _ENTRY + sum(map(_size, shown.templates)))
    return shown.templates


def _size(template: Template) -> int:
    """Return the approximate size of a template in memory, in bytes."""
    texts = text_bytes((template.id, template.name, template.body, *template.not_for))
    return _TEMPLATE + texts


async def _examples(
    connection: AsyncConnection, tenant: TenantId, message: str, near: Embedding | None
) -> tuple[CorrectedAnswer, ...]:
    repository = LabelledExampleRepository(connection, tenant)
    chosen = nearest_examples(message[:_MESSAGE_CHARS], await repository.questions(near))
    pairs = await repository.answers(chosen) if chosen else ()
    found = (impersonal_example(question, answer) for question, answer in pairs)
    return tuple(one for one in found if one is not None)


async def _own_head(heads: OwnHeadRepository, tenant: TenantId) -> OwnHead | None:
    known = _HEADS.get(tenant)
    head = await heads.in_use(known)
    if head is None:
        # The head may have been removed together with its training tickets, so its cached copy must
        # also be dropped.
        _HEADS.drop(tenant)
    elif head is not known:
        _HEADS.keep(tenant, head, len(head.weights))
    return head

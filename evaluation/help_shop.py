"""A shop's help centre as the product stores it: in PostgreSQL, chunked, embedded and indexed for
search."""

import tempfile
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter

from adapters.brain.embeddings import embedder_from
from adapters.system import new_ulid
from domain.agent.brain import Language, Passage
from domain.agent.ports import Embedder
from domain.content.knowledge_file import FileEntry
from domain.core.ids import TenantId
from domain.tenants.client import Plan
from embedded.postgres import EmbeddedPostgres
from settings.brain import EmbeddingSettings
from store.content.content import ContentRepository
from store.content.knowledge_chunks import ChunkedEntry, keep_chunks
from store.content.knowledge_search import KnowledgeSearch
from store.content.stale_entries import read_entries, stale_window
from store.core.database import Database
from store.core.migrate import migrate
from store.tenants.clients import ClientRepository

SHOPS: Final = Path(__file__).parent / "shops"
_NOW: Final = datetime(2026, 11, 24, tzinfo=UTC)


class Article(BaseModel):
    """An article of a shop's help centre."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    title: str
    language: Language
    body: str


@dataclass(frozen=True, slots=True)
class HelpShop:
    """A shop with an indexed help centre. `articles`: maps an article's title and language to its
    id in the shop's `articles.yaml`."""

    database: Database
    tenant: TenantId
    embedder: Embedder | None
    articles: dict[tuple[str, str], str]

    async def passages(self, text: str) -> tuple[Passage, ...]:
        """Return the passages that a run would find for the message. Each passage has the id of its
        article in `articles.yaml`."""
        near = None
        if self.embedder is not None:
            near = await self.embedder.near(self.tenant, text, live=True)
        async with self.database.tenant(self.tenant) as connection:
            found = await KnowledgeSearch(connection, self.tenant).find(text, near)
        return tuple(
            one.model_copy(update={"id": self.articles[one.title, one.language]}) for one in found
        )


def read_articles(shop: str) -> tuple[Article, ...]:
    """Return the articles of `evaluation/shops/<shop>`."""
    text = (SHOPS / shop / "articles.yaml").read_text(encoding="utf-8")
    return TypeAdapter(tuple[Article, ...]).validate_python(
        yaml.load(text, Loader=yaml.CSafeLoader)
    )


@asynccontextmanager
async def opened_shops(names: Iterable[str]) -> AsyncIterator[dict[str, HelpShop]]:
    """Create the named shops in a separate PostgreSQL, which runs for the duration of the block.
    Yield them by name."""
    embedder = embedder_from(EmbeddingSettings())
    with (
        tempfile.TemporaryDirectory(prefix="help-") as folder,
        EmbeddedPostgres(Path(folder) / "postgres") as server,
    ):
        migrate(server.owner_url)
        database = Database(server.url, pool_size=2)
        try:
            yield {name: await _open(database, name, embedder) for name in names}
        finally:
            await database.close()


async def _open(database: Database, name: str, embedder: Embedder | None) -> HelpShop:
    articles = read_articles(name)
    client_id = new_ulid()
    async with database.service() as connection:
        await ClientRepository(connection).create(
            client_id=client_id,
            user_id=new_ulid(),
            brand=name,
            plan=Plan.PRO,
            owner_email=f"{name}@example.com",
            now=_NOW,
        )
    tenant = TenantId(client_id)
    entries = [
        FileEntry(line=1, title=one.title, body=one.body.strip(), language=one.language)
        for one in articles
    ]
    async with database.tenant(tenant) as connection:
        await ContentRepository(connection, tenant).add_entries(entries, _NOW, new_ulid)
    if embedder is not None:
        async with database.service() as connection:
            window = await stale_window(connection, embedder.model, now=_NOW)
            stale = await read_entries(connection, [one.key for one in window.stale])
        for entry in stale:
            chunked = ChunkedEntry.of(entry)
            rows = chunked.rows(await embedder.embed(chunked.texts), _NOW)
            async with database.service() as connection:
                await keep_chunks(connection, entry, rows)
    return HelpShop(
        database, tenant, embedder, {(one.title, one.language): one.id for one in articles}
    )

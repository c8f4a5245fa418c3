"""The website pages of knowledge entries, and the pages that members have dismissed."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from domain.content.near_same import Known
from domain.content.suggestion import PageSource
from store.content.tables import dismissed_pages, knowledge_entries, suggestions
from store.core.repository import TenantRepository

_COMPARED: Final = 40
"""Maximum number of entries with which a page is compared, nearest length first."""

_SHORTER: Final = 0.7
_LONGER: Final = 1.4


@dataclass(frozen=True, slots=True)
class EntryOfPage:
    """The entry that was imported from a page. `digest` is the digest of the accepted page text."""

    id: str
    title: str
    digest: str | None


class EntrySourceRepository(TenantRepository):
    async def entry_of(self, url: str) -> EntryOfPage | None:
        """Return the entry that was imported from a page, or None. If there are several, return the
        oldest one."""
        table = knowledge_entries.c
        row = (
            await self._connection.execute(
                sa.select(table.id, table.title, table.source_digest)
                .where(table.client_id == self._tenant, table.source_url == url)
                .order_by(table.id)
                .limit(1)
            )
        ).one_or_none()
        return row and EntryOfPage(row.id, row.title, row.source_digest)

    async def accept(self, entry_id: str, source: PageSource) -> None:
        """Store the page from which an entry was accepted."""
        await self._update(
            entry_id,
            source_url=source.url,
            source_digest=source.digest,
            source_read_at=source.read_at,
            source_changed_at=None,
            source_integration_id=source.integration_id,
        )

    async def found_same(self, entry_id: str, now: datetime, integration_id: str | None) -> None:
        """Record that an entry's page was read and still has the accepted text. `integration_id` is
        the integration that read it, or None for a website."""
        await self._update(
            entry_id,
            source_read_at=now,
            source_changed_at=None,
            source_integration_id=integration_id,
        )

    async def found_changed(self, entry_id: str, now: datetime, integration_id: str | None) -> None:
        """Record that an entry's page was read and that its text differs from the accepted text.
        The first such time is kept."""
        first = sa.func.coalesce(knowledge_entries.c.source_changed_at, now)
        await self._update(
            entry_id,
            source_read_at=now,
            source_changed_at=first,
            source_integration_id=integration_id,
        )

    async def dismiss(self, source: PageSource, now: datetime) -> None:
        """Remember that a member has dismissed a page with this text."""
        values = {"digest": source.digest, "created_at": now}
        await self._connection.execute(
            insert(dismissed_pages)
            .values(client_id=self._tenant, url=source.url, **values)
            .on_conflict_do_update(index_elements=["client_id", "url"], set_=values)
        )

    async def is_dismissed(self, url: str, digest: str) -> bool:
        """Return whether a member has dismissed a page with this text."""
        table = dismissed_pages.c
        return bool(
            await self._connection.scalar(
                sa.select(
                    sa.exists().where(
                        table.client_id == self._tenant, table.url == url, table.digest == digest
                    )
                )
            )
        )

    async def comparable(self, url: str, title: str, length: int) -> tuple[Known, ...]:
        """Return the entries and pending suggestions to compare a page with: those with the same
        title or about the same `length` in characters. The page's own entries and suggestions are
        left out."""
        table = knowledge_entries.c
        size = sa.func.length(table.body)
        entries = await self._connection.execute(
            sa.select(table.id, table.title, table.body)
            .where(
                table.client_id == self._tenant,
                table.source_url.is_distinct_from(url),
                sa.or_(
                    sa.func.lower(table.title) == title.lower(),
                    size.between(length * _SHORTER, length * _LONGER),
                ),
            )
            .order_by(
                (sa.func.lower(table.title) == title.lower()).desc(), sa.func.abs(size - length)
            )
            .limit(_COMPARED)
        )
        proposed = suggestions.c.proposed
        size = sa.func.length(proposed["body"].as_string())
        name = sa.func.lower(proposed["title"].as_string())
        pending = await self._connection.execute(
            sa.select(
                suggestions.c.id,
                proposed["title"].as_string().label("title"),
                proposed["body"].as_string().label("body"),
            )
            .where(
                suggestions.c.client_id == self._tenant,
                proposed["kind"].as_string() == "knowledge",
                suggestions.c.source["url"].as_string().is_distinct_from(url),
                sa.or_(name == title.lower(), size.between(length * _SHORTER, length * _LONGER)),
            )
            .order_by((name == title.lower()).desc(), sa.func.abs(size - length))
            .limit(_COMPARED)
        )
        return tuple(Known(row.id, row.title, row.body) for row in (*entries, *pending))

    async def _update(self, entry_id: str, **values: object) -> None:
        table = knowledge_entries.c
        await self._connection.execute(
            sa.update(knowledge_entries)
            .where(table.client_id == self._tenant, table.id == entry_id)
            .values(**values)
        )

"""Imports of knowledge from websites, and the pages that each import reads."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.content.errors import SiteImportNotFound
from domain.content.site_import import (
    KEPT_IMPORTS,
    MAX_ARTICLES,
    MAX_LISTED,
    MAX_PAGES,
    MAX_SILENT,
    FoundPage,
    PageNote,
    PageState,
    SiteImport,
    SiteImportState,
    SitePage,
)
from domain.core.contracts import BackgroundRef
from store.content.tables import site_imports, site_pages
from store.core.place import Place, beyond
from store.core.repository import TenantRepository, owner_of

_UNFINISHED: Final = site_imports.c.state.in_((SiteImportState.QUEUED, SiteImportState.RUNNING))
_SUGGESTED: Final = (PageState.SUGGESTED, PageState.CHANGED)

_CREATED: Final = {
    "id", "url", "scope", "integration_id", "state", "started_by", "created_at",
}  # fmt: skip
_SILENT: Final = (PageNote.TOO_SLOW, PageNote.UNREACHABLE)


@dataclass(frozen=True, slots=True)
class SiteReading:
    """The data that an import needs to read its next page. `robots` is the site's robots.txt, or
    None. `is_silent` means that the last MAX_SILENT pages gave no usable answer. `next_page` is
    None if no page is left."""

    site: SiteImport
    robots: bytes | None
    follows: bool
    pause_s: float
    bytes_read: int
    is_silent: bool
    next_page: SitePage | None


@dataclass(frozen=True, slots=True)
class PageOutcome:
    """The outcome of reading one page. `url` is the page's address after redirects."""

    state: PageState
    note: PageNote | None = None
    title: str = ""
    bytes_read: int = 0


class SiteImportRepository(TenantRepository):
    async def create(self, site: SiteImport) -> None:
        """Add an import, and delete the client's finished imports before the latest ones."""
        table = site_imports.c
        latest = (
            sa.select(table.id)
            .where(table.client_id == self._tenant)
            .order_by(table.id.desc())
            .limit(KEPT_IMPORTS - 1)
        )
        await self._connection.execute(
            sa.delete(site_imports).where(
                table.client_id == self._tenant, ~_UNFINISHED, table.id.not_in(latest)
            )
        )
        await self._connection.execute(
            sa.insert(site_imports).values(
                client_id=self._tenant,
                **site.model_dump(include=_CREATED),
            )
        )
        if site.integration_id is None:
            await self.add_pages(site.id, (FoundPage(url=site.url),), depth=0)

    async def is_one_under_way(self) -> bool:
        return bool(
            await self._connection.scalar(
                sa.select(sa.exists().where(site_imports.c.client_id == self._tenant, _UNFINISHED))
            )
        )

    async def started_since(self, since: datetime) -> int:
        """Return the number of imports that the client has started since a time."""
        count = await self._connection.scalar(
            sa.select(sa.func.count()).where(
                site_imports.c.client_id == self._tenant, site_imports.c.created_at > since
            )
        )
        return count or 0

    async def read(self, import_id: str) -> SiteImport:
        """Return an import with its progress. Raises SiteImportNotFound."""
        row = await self._one(
            _with_counts().where(*self._is(import_id)), {}, SiteImportNotFound(import_id)
        )
        return SiteImport.model_validate(row, from_attributes=True)

    async def page(self, *, before: str | None, limit: int) -> tuple[SiteImport, ...]:
        """Return a page of imports, latest first. `before` is the last id on the previous page."""
        imports = _with_counts().where(site_imports.c.client_id == self._tenant)
        if before is not None:
            imports = imports.where(site_imports.c.id < before)
        rows = await self._connection.execute(
            imports.order_by(site_imports.c.id.desc()).limit(limit)
        )
        return tuple(SiteImport.model_validate(row, from_attributes=True) for row in rows)

    async def pages(self, import_id: str) -> tuple[SitePage, ...]:
        """Return the pages of an import, in the order in which it reads them."""
        rows = await self._connection.execute(
            sa.select(site_pages).where(*self._of(import_id)).order_by(site_pages.c.place)
        )
        return tuple(SitePage.model_validate(row, from_attributes=True) for row in rows)

    async def reading(self, import_id: str) -> SiteReading:
        """Return the data for the next page. Raises SiteImportNotFound."""
        row = await self._one(
            sa.select(site_imports).where(*self._is(import_id)), {}, SiteImportNotFound(import_id)
        )
        size = await self._connection.scalar(
            sa.select(sa.func.coalesce(sa.func.sum(site_pages.c.bytes_read), 0)).where(
                *self._of(import_id)
            )
        )
        found = (
            await self._connection.execute(
                sa.select(site_pages)
                .where(*self._of(import_id), site_pages.c.state == PageState.WAITING)
                .order_by(site_pages.c.place)
                .limit(1)
            )
        ).one_or_none()
        latest = (
            await self._connection.scalars(
                sa.select(site_pages.c.note)
                .where(*self._of(import_id), site_pages.c.read_at.is_not(None))
                .order_by(site_pages.c.place.desc())
                .limit(MAX_SILENT)
            )
        ).all()
        return SiteReading(
            site=await self.read(import_id),
            robots=row.robots,
            follows=row.follows,
            pause_s=row.pause_s,
            bytes_read=row.bytes_read + int(size or 0),
            is_silent=len(latest) == MAX_SILENT and all(note in _SILENT for note in latest),
            next_page=(
                None if found is None else SitePage.model_validate(found, from_attributes=True)
            ),
        )

    async def open(
        self, import_id: str, *, robots: bytes | None, follows: bool, pause_s: float, size: int
    ) -> None:
        """Mark an import as running, and store the site's rules. A finished import stays
        unchanged."""
        await self._connection.execute(
            sa.update(site_imports)
            .where(*self._is(import_id), _UNFINISHED)
            .values(
                state=SiteImportState.RUNNING,
                robots=robots,
                follows=follows,
                pause_s=pause_s,
                bytes_read=size,
            )
        )

    async def add_pages(self, import_id: str, found: Iterable[FoundPage], *, depth: int) -> None:
        """Add pages that the import does not list yet, after the listed pages. Pages that
        robots.txt forbids, and pages above the limit, are listed as skipped."""
        integration_id = await self._connection.scalar(
            sa.select(site_imports.c.integration_id).where(*self._is(import_id)).with_for_update()
        )
        most = MAX_PAGES if integration_id is None else MAX_ARTICLES
        listed = (
            await self._connection.execute(
                sa.select(site_pages.c.url, site_pages.c.note).where(*self._of(import_id))
            )
        ).all()
        known = {row.url for row in listed}
        unread = (PageNote.ROBOTS, PageNote.LIMIT)
        reads = sum(row.note not in unread for row in listed)
        rows: list[dict[str, object]] = []
        for one in found:
            if one.url in known or len(known) >= MAX_LISTED:
                continue
            note = None if one.allowed else PageNote.ROBOTS
            if note is None and reads >= most:
                note = PageNote.LIMIT
            reads += note is None
            state = PageState.WAITING if note is None else PageState.SKIPPED
            rows.append(
                {
                    "client_id": self._tenant, "import_id": import_id, "place": len(known),
                    "url": one.url, "reference": one.reference, "depth": depth, "state": state,
                    "note": note,
                }
            )  # fmt: skip
            known.add(one.url)
        if rows:
            await self._connection.execute(sa.insert(site_pages), rows)

    async def settle(
        self, import_id: str, page: SitePage, outcome: PageOutcome, now: datetime
    ) -> bool:
        """Store the outcome of a waiting page. Return False if the page has an outcome already, so
        that a repeated step changes nothing."""
        changed = await self._connection.execute(
            sa.update(site_pages)
            .where(
                *self._of(import_id),
                site_pages.c.place == page.place,
                site_pages.c.state == PageState.WAITING,
            )
            .values(
                state=outcome.state,
                note=outcome.note,
                title=outcome.title,
                bytes_read=outcome.bytes_read,
                read_at=now,
            )
        )
        return changed.rowcount == 1

    async def lists(self, import_id: str, url: str) -> bool:
        """Return whether the import lists a page."""
        return bool(
            await self._connection.scalar(
                sa.select(sa.exists().where(*self._of(import_id), site_pages.c.url == url))
            )
        )

    async def skip_rest(self, import_id: str, note: PageNote) -> None:
        """Skip the waiting pages. `note` is the reason."""
        await self._connection.execute(
            sa.update(site_pages)
            .where(*self._of(import_id), site_pages.c.state == PageState.WAITING)
            .values(state=PageState.SKIPPED, note=note)
        )

    async def end(
        self, import_id: str, state: SiteImportState, error: str | None, now: datetime
    ) -> None:
        """Finish an import, and skip its waiting pages. An import that is already finished stays
        unchanged."""
        await self.skip_rest(import_id, PageNote.GIVEN_UP)
        await self._connection.execute(
            sa.update(site_imports)
            .where(*self._is(import_id), _UNFINISHED)
            .values(state=state, error_code=error, finished_at=now, robots=None)
        )

    def _is(self, import_id: str) -> tuple[sa.ColumnElement[bool], ...]:
        return site_imports.c.client_id == self._tenant, site_imports.c.id == import_id

    def _of(self, import_id: str) -> tuple[sa.ColumnElement[bool], ...]:
        return site_pages.c.client_id == self._tenant, site_pages.c.import_id == import_id


@dataclass(frozen=True, slots=True)
class LeftSiteImport:
    """An unfinished import that the sweep has found."""

    ref: BackgroundRef
    created_at: datetime

    @property
    def place(self) -> Place:
        return Place(self.created_at, self.ref.record_id)


async def site_imports_left(
    connection: AsyncConnection, *, before: datetime, after: Place | None, limit: int
) -> Sequence[LeftSiteImport]:
    """Return a page of all clients' unfinished imports that were created before `before`, oldest
    first. `after` is the position of the last import on the previous page."""
    table = site_imports.c
    rows = await connection.execute(
        sa.select(table.client_id, table.id, table.created_at)
        .where(_UNFINISHED, table.created_at < before, beyond(after, table.created_at, table.id))
        .order_by(table.created_at, table.id)
        .limit(limit)
    )
    return [
        LeftSiteImport(BackgroundRef(client_id=row.client_id, record_id=row.id), row.created_at)
        for row in rows
    ]


def _with_counts() -> "sa.Select[*tuple[Any, ...]]":
    page = site_pages.c
    counts = (
        sa.select(
            sa.func.count().label("pages"),
            sa.func.count().filter(page.state != PageState.WAITING).label("done"),
            sa.func.count().filter(page.state.in_(_SUGGESTED)).label("suggested"),
        )
        .where(page.client_id == site_imports.c.client_id, page.import_id == site_imports.c.id)
        .lateral("counts")
    )
    return sa.select(site_imports, counts.c.pages, counts.c.done, counts.c.suggested).join(
        counts, sa.true()
    )


client_of_site_import: Final = owner_of(site_imports, SiteImportNotFound)

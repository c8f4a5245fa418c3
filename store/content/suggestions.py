"""Pending suggestions for a client's content, which a member has not yet accepted or refused."""

import sqlalchemy as sa

from domain.content.errors import SuggestionNotFound, TooManySuggestions
from domain.content.site_import import MAX_SITE_SUGGESTIONS
from domain.content.suggestion import MAX_SUGGESTIONS, PageSource, Suggestion
from store.content.tables import suggestions
from store.core.repository import TenantRepository
from store.tenants.accounts import AccountRepository


class SuggestionRepository(TenantRepository):
    async def add(self, suggestion: Suggestion) -> None:
        """Add a suggestion. Locks the account to enforce the limit. Raises TooManySuggestions, and
        ClientNotFound during an erasure.

        Suggestions from websites have their own limit, so that an import leaves room for AI
        assistants.
        """
        await AccountRepository(self._connection, self._tenant).lock()
        of_site = suggestion.source is not None
        waiting = await self._connection.scalar(
            sa.select(sa.func.count()).where(
                suggestions.c.client_id == self._tenant,
                suggestions.c.source.is_not(None) if of_site else suggestions.c.source.is_(None),
            )
        )
        limit = MAX_SITE_SUGGESTIONS if of_site else MAX_SUGGESTIONS
        if waiting is not None and waiting >= limit:
            raise TooManySuggestions
        await self._connection.execute(
            sa.insert(suggestions).values(
                client_id=self._tenant,
                id=suggestion.id,
                proposed=suggestion.proposed.model_dump(mode="json"),
                reason=suggestion.reason,
                suggested_by=suggestion.suggested_by,
                created_at=suggestion.created_at,
                source=suggestion.source and suggestion.source.model_dump(mode="json"),
            )
        )

    async def of_page(self, url: str) -> PageSource | None:
        """Return the source of the pending suggestion from a website page, or None."""
        found = await self._connection.scalar(
            sa.select(suggestions.c.source).where(*self._from_page(url)).limit(1)
        )
        return None if found is None else PageSource.model_validate(found)

    async def delete_of_page(self, url: str) -> None:
        """Remove the pending suggestions from a website page because the page was read again."""
        await self._connection.execute(sa.delete(suggestions).where(*self._from_page(url)))

    def _from_page(self, url: str) -> tuple["sa.ColumnElement[bool]", ...]:
        return (
            suggestions.c.client_id == self._tenant,
            suggestions.c.source["url"].as_string() == url,
        )

    async def page(self, *, after: str | None, limit: int) -> tuple[Suggestion, ...]:
        """Return a page of suggestions, oldest first. `after` is the last id on the previous
        page."""
        rows = await self._connection.execute(
            sa.select(suggestions)
            .where(suggestions.c.client_id == self._tenant, suggestions.c.id > (after or ""))
            .order_by(suggestions.c.id)
            .limit(limit)
        )
        return tuple(Suggestion.model_validate(row, from_attributes=True) for row in rows)

    async def take(self, suggestion_id: str) -> Suggestion:
        """Remove and return a suggestion, for a member's decision. Only one of two concurrent
        callers gets it. Raises SuggestionNotFound."""
        row = await self._one(
            sa.delete(suggestions)
            .where(suggestions.c.client_id == self._tenant, suggestions.c.id == suggestion_id)
            .returning(suggestions),
            {},
            SuggestionNotFound(suggestion_id),
        )
        return Suggestion.model_validate(row, from_attributes=True)

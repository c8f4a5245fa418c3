"""Pending suggestions for a client's content, which a member has not yet accepted or refused."""

import sqlalchemy as sa

from domain.content.errors import SuggestionNotFound, TooManySuggestions
from domain.content.suggestion import MAX_SUGGESTIONS, Suggestion
from store.content.tables import suggestions
from store.core.repository import TenantRepository
from store.tenants.accounts import AccountRepository


class SuggestionRepository(TenantRepository):
    async def add(self, suggestion: Suggestion) -> None:
        """Add a suggestion. Raises TooManySuggestions, and ClientNotFound while the client is being
        erased. The account is locked, so concurrent calls cannot exceed the limit."""
        await AccountRepository(self._connection, self._tenant).lock()
        waiting = await self._connection.scalar(
            sa.select(sa.func.count()).where(suggestions.c.client_id == self._tenant)
        )
        if waiting is not None and waiting >= MAX_SUGGESTIONS:
            raise TooManySuggestions
        await self._connection.execute(
            sa.insert(suggestions).values(
                client_id=self._tenant,
                id=suggestion.id,
                proposed=suggestion.proposed.model_dump(mode="json"),
                reason=suggestion.reason,
                suggested_by=suggestion.suggested_by,
                created_at=suggestion.created_at,
            )
        )

    async def page(self, *, after: str | None, limit: int) -> tuple[Suggestion, ...]:
        """Return a page of suggestions, oldest first. `after`: the last id on the previous page."""
        rows = await self._connection.execute(
            sa.select(suggestions)
            .where(suggestions.c.client_id == self._tenant, suggestions.c.id > (after or ""))
            .order_by(suggestions.c.id)
            .limit(limit)
        )
        return tuple(Suggestion.model_validate(row, from_attributes=True) for row in rows)

    async def take(self, suggestion_id: str) -> Suggestion:
        """Remove and return a suggestion, so that the caller can apply a member's decision. Of two
        concurrent callers, only one gets the suggestion. Raises SuggestionNotFound."""
        row = await self._one(
            sa.delete(suggestions)
            .where(suggestions.c.client_id == self._tenant, suggestions.c.id == suggestion_id)
            .returning(suggestions),
            {},
            SuggestionNotFound(suggestion_id),
        )
        return Suggestion.model_validate(row, from_attributes=True)

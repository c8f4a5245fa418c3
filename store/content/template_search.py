"""Search the templates that a member can insert into a reply."""

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa

from domain.content.content import TemplateEntry
from domain.content.macro_search import MacroSearch
from store.content.tables import response_templates
from store.core.repository import TenantRepository

_TABLE: Final = response_templates.c
_ACCENTED: Final = "àâäçéèêëîïôöùûüÿ’"
_PLAIN: Final = "aaaceeeeiioouuuy'"


class TemplateSearch(TenantRepository):
    async def find(
        self, search: MacroSearch, *, language: str, limit: int
    ) -> Sequence[TemplateEntry]:
        """Return the active templates that match a search, those in `language` first.

        Each word of the search occurs in the name or the text, or the search is the template's
        shortcut. A match in the name comes before a match in the text.
        """
        name, body = _folded(_TABLE.name), _folded(_TABLE.body)
        # An empty search has one word, which every name contains.
        words = search.words or ("",)
        in_name = sa.and_(*(name.contains(word, autoescape=True) for word in words))
        in_text = sa.and_(
            *(
                sa.or_(name.contains(word, autoescape=True), body.contains(word, autoescape=True))
                for word in words
            )
        )
        initials = sa.func.regexp_replace(
            sa.func.regexp_replace(name, r"(\w)\w*", r"\1", "g"), r"\W", "", "g"
        )
        is_shortcut = initials == search.shortcut
        rows = await self._connection.execute(
            sa.select(response_templates)
            .where(_TABLE.client_id == self._tenant, _TABLE.is_active, sa.or_(in_text, is_shortcut))
            .order_by(
                _TABLE.language != language,
                sa.not_(is_shortcut),
                sa.not_(in_name),
                name,
                _TABLE.id,
            )
            .limit(limit)
        )
        return [TemplateEntry.model_validate(row, from_attributes=True) for row in rows]


def _folded(column: sa.Column[str]) -> sa.Function[str]:
    return sa.func.translate(sa.func.lower(column), _ACCENTED, _PLAIN)

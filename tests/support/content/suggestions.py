"""Suggestions from an assistant."""

from typing import Final

from domain.content.suggestion import SuggestedEntry, SuggestedTemplate
from domain.tenants.actor import Actor
from services.content.suggestions import suggest
from store.core.database import Database
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop

SUGGESTIONS: Final = "/api/dashboard/suggestions"
ENTRY: Final = SuggestedEntry(
    title="Lavage du lin", body="Le lin se lave à 30 °C, sans essorage.", language="fr"
)


async def suggested(
    database: Database, shop: Shop, proposed: SuggestedEntry | SuggestedTemplate = ENTRY
) -> str:
    """Create an open suggestion, and return its id."""
    async with units_on(database).of(shop.tenant) as work:
        kept = await suggest(work, Actor.key(shop.key_id), proposed, "asked twice this week")
    return kept.id

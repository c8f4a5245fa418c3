"""Saved views of the inbox."""

from domain.runs.inbox import InboxFilter
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from services.reviews.inbox import create_view
from store.core.database import Database
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop


async def saved_view(
    database: Database, shop: Shop, name: str = "Retours", **filters: object
) -> str:
    """Save a view as the shop's owner; return its id."""
    owner = Actor.person(shop.owner_user_id, Role.OWNER, network=None)
    wanted = InboxFilter.model_validate(filters)
    async with units_on(database).of(shop.tenant) as work:
        return (await create_view(work, owner, name, wanted)).id

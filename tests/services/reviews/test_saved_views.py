"""Saved views of the inbox: their names, their limit, and who may change them."""

import pytest
from structlog.testing import capture_logs

from adapters.system import new_ulid
from domain.runs import saved_view as rules
from domain.runs.errors import InboxViewNotFound, InvalidInboxView, TooManyInboxViews
from domain.runs.inbox import InboxFilter, InboxView
from domain.runs.saved_view import MAX_VIEW_NAME
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import RoleRequired
from services.reviews import inbox
from services.reviews.inbox import create_view, delete_view, list_views, update_view
from store.core.database import Database
from tests.support.core.units import units_on
from tests.support.reviews.replies import ANNA
from tests.support.tenants.shop import Shop, open_shop

VIEWER = Actor.person(new_ulid(), Role.VIEWER, network=None)
FILTERS = InboxFilter(view=InboxView.ALL, tag="vip", unhappy=True)


async def test_a_view_is_saved_changed_and_deleted(database: Database, shop: Shop) -> None:
    units = units_on(database)
    with capture_logs() as logs:
        async with units.of(shop.tenant) as work:
            made = await create_view(work, ANNA, "  Clients   VIP ", FILTERS)
            await create_view(work, ANNA, "autres", InboxFilter())
        async with units.of(shop.tenant) as work:
            renamed = await update_view(work, ANNA, made.id, name="VIP")
            changed = await update_view(work, ANNA, made.id, filters=InboxFilter())
        assert (made.name, made.filters, made.created_by) == ("Clients VIP", FILTERS, ANNA.name)
        assert (renamed.name, renamed.filters) == ("VIP", FILTERS)
        assert (changed.name, changed.filters) == ("VIP", InboxFilter())
        async with database.reading(shop.tenant) as connection:
            found = await list_views(connection, shop.tenant, VIEWER)
        assert [view.name for view in found] == ["autres", "VIP"]
        async with units.of(shop.tenant) as work:
            await delete_view(work, ANNA, made.id)
    noted = [(one["event"], one["view_id"]) for one in logs if "view_id" in one]
    assert noted.count(("inbox view created", made.id)) == 1
    assert noted.count(("inbox view updated", made.id)) == 2
    assert noted[-1] == ("inbox view deleted", made.id)
    async with units.of(shop.tenant) as work:
        for action in (
            delete_view(work, ANNA, made.id),
            update_view(work, ANNA, made.id, name="x"),
        ):
            with pytest.raises(InboxViewNotFound):
                await action


async def test_a_client_has_a_limited_number(
    database: Database, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert rules.MAX_VIEWS == 50
    monkeypatch.setattr(inbox, "MAX_VIEWS", 2)
    other = await open_shop(database)
    for whose in (other, shop):
        for n in range(2):
            async with units_on(database).of(whose.tenant) as work:
                await create_view(work, ANNA, f"v{n}", FILTERS)
    with pytest.raises(TooManyInboxViews):
        async with units_on(database).of(shop.tenant) as work:
            await create_view(work, ANNA, "v3", FILTERS)


@pytest.mark.parametrize("name", ["", " \n", "x" * (MAX_VIEW_NAME + 1), "a\0b"])
async def test_names_that_are_refused(database: Database, shop: Shop, name: str) -> None:
    async with units_on(database).of(shop.tenant) as work:
        made = await create_view(work, ANNA, "x" * MAX_VIEW_NAME, FILTERS)
        with pytest.raises(InvalidInboxView):
            await create_view(work, ANNA, name, FILTERS)
        with pytest.raises(InvalidInboxView):
            await update_view(work, ANNA, made.id, name=name)


async def test_a_viewer_only_opens_views(database: Database, shop: Shop) -> None:
    async with units_on(database).of(shop.tenant) as work:
        made = await create_view(work, ANNA, "VIP", FILTERS)
        for action in (
            create_view(work, VIEWER, "x", FILTERS),
            update_view(work, VIEWER, made.id, name="x"),
            delete_view(work, VIEWER, made.id),
        ):
            with pytest.raises(RoleRequired):
                await action


async def test_another_clients_view_is_not_there(database: Database, shop: Shop) -> None:
    other = await open_shop(database)
    async with units_on(database).of(other.tenant) as work:
        theirs = await create_view(work, ANNA, "VIP", FILTERS)
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(InboxViewNotFound):
            await update_view(work, ANNA, theirs.id, name="x")
        with pytest.raises(InboxViewNotFound):
            await delete_view(work, ANNA, theirs.id)
    async with database.reading(shop.tenant) as connection:
        assert await list_views(connection, shop.tenant, ANNA) == ()

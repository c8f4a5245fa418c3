"""The use cases for widget settings: permissions, audit entries, and concurrency."""

import asyncio
from datetime import timedelta
from secrets import token_bytes

import pytest
import structlog

from adapters.seal import FernetSealer, new_seal_key
from adapters.system import utc_now
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.client_settings import WIDGET_KEY_BYTES, widget_key_of
from domain.tenants.errors import RoleRequired
from domain.widget.signed_user import SECRET_BYTES, secret_of
from domain.widget.widget import Widget, WidgetChange, unseal_widget_secret
from services.widget.widget_settings import (
    change_widget,
    rotate_widget_key,
    rotate_widget_secret,
)
from store.core.database import Database
from store.tenants.client_settings import SettingsRepository
from store.widget.widgets import WidgetRepository
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop

ADMIN = Actor.person("sub|1", Role.ADMIN)
SEALER = FernetSealer(new_seal_key())
DAY = timedelta(days=1)


async def rotate_key(database: Database, shop: Shop, random: bytes) -> None:
    async with units_on(database).of(shop.tenant) as work:
        await rotate_widget_key(work, ADMIN, overlap=DAY, random_bytes=random)


async def rotate_secret(database: Database, shop: Shop, random: bytes) -> None:
    async with units_on(database).of(shop.tenant) as work:
        await rotate_widget_secret(work, ADMIN, overlap=DAY, sealer=SEALER, random_bytes=random)


async def read(database: Database, shop: Shop) -> tuple[Widget, str | None]:
    """Return the widget and its key."""
    async with database.reading(shop.tenant) as connection:
        widget = await WidgetRepository(connection, shop.tenant).read()
        return widget, (await SettingsRepository(connection, shop.tenant).read()).widget_key


async def test_each_change_is_in_the_log_without_key_or_secret(
    database: Database, shop: Shop
) -> None:
    key, secret = token_bytes(WIDGET_KEY_BYTES), token_bytes(SECRET_BYTES)
    change = WidgetChange(allowed_origins=("https://a.example",), hourly_messages=None)
    with structlog.testing.capture_logs() as lines:
        async with units_on(database).of(shop.tenant) as work:
            await change_widget(work, ADMIN, change)
        await rotate_key(database, shop, key)
        await rotate_secret(database, shop, secret)

    assert [(line["event"], line.get("fields"), line["user_id"]) for line in lines] == [
        ("widget changed", "allowed_origins hourly_messages", "sub|1"),
        ("widget key rotated", None, "sub|1"),
        ("widget secret rotated", None, "sub|1"),
    ]
    for told in ("a.example", widget_key_of(key), secret_of(secret)):
        assert told not in str(lines)


async def test_of_rotations_at_once_none_is_lost(database: Database, shop: Shop) -> None:
    """The previous one remains valid, whichever was last."""
    keys = [token_bytes(WIDGET_KEY_BYTES) for _ in range(5)]
    randoms = [token_bytes(SECRET_BYTES) for _ in range(5)]
    await asyncio.gather(*(rotate_key(database, shop, one) for one in keys))
    await asyncio.gather(*(rotate_secret(database, shop, one) for one in randoms))

    widget, key = await read(database, shop)
    assert {key, widget.previous_key} < {*map(widget_key_of, keys)}
    assert key != widget.previous_key
    secrets = [
        unseal_widget_secret(SEALER, shop.client_id, one)
        for one in widget.sealed_secrets(utc_now())
    ]
    assert len({*secrets}) == 2
    assert {*secrets} < {*map(secret_of, randoms)}


async def test_only_owners_and_admins_change_it(database: Database, shop: Shop) -> None:
    for actor in (
        Actor.person("u", Role.AGENT),
        Actor.person("u", Role.VIEWER),
        Actor.key(shop.key_id),
    ):
        async with units_on(database).of(shop.tenant) as work:
            for use_case in (
                change_widget(work, actor, WidgetChange(accepts_api_keys=False)),
                rotate_widget_key(
                    work, actor, overlap=DAY, random_bytes=token_bytes(WIDGET_KEY_BYTES)
                ),
                rotate_widget_secret(
                    work, actor, overlap=DAY, sealer=SEALER, random_bytes=token_bytes(SECRET_BYTES)
                ),
            ):
                with pytest.raises(RoleRequired):
                    await use_case
    assert await read(database, shop) == (Widget(), None)

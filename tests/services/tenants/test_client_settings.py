"""The use cases for settings: omitted fields are unchanged, on every route."""

import asyncio

import pytest
import structlog

from adapters.system import new_ulid
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.client_settings import (
    Branding,
    ClientSettings,
    SettingsAdjustment,
    SettingsChange,
)
from domain.tenants.disclosure import DisclosureStatus
from domain.tenants.errors import RoleRequired
from domain.tenants.guidance import Guidance
from services.tenants.client_settings import adjust_settings, change_settings
from store.core.database import Database
from store.tenants.client_settings import SettingsRepository
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop

ADMIN = Actor.person("sub|1", Role.ADMIN)


async def adjust(database: Database, shop: Shop, adjustment: SettingsAdjustment) -> None:
    async with units_on(database).of(shop.tenant) as work:
        await adjust_settings(work, ADMIN, adjustment)


async def read(database: Database, shop: Shop) -> ClientSettings:
    async with database.reading(shop.tenant) as connection:
        return await SettingsRepository(connection, shop.tenant).read()


async def test_each_change_is_in_the_log_without_its_words(database: Database, shop: Shop) -> None:
    change = SettingsChange(
        system_prompt="Tutoyez.",
        guidance=Guidance(do=("Tutoyez.",)),
        branding=Branding(color="#aabbcc"),
    )
    with structlog.testing.capture_logs() as lines:
        async with units_on(database).of(shop.tenant) as work:
            changed = await change_settings(work, ADMIN, change)

    assert changed.system_prompt == "Tutoyez."
    assert [(line["event"], line.get("fields"), line["user_id"]) for line in lines] == [
        ("settings changed", "branding guidance system_prompt", "sub|1")
    ]
    assert "Tutoyez" not in str(lines)


async def test_the_log_keeps_why_the_disclosure_is_off(database: Database, shop: Shop) -> None:
    off = SettingsAdjustment(disclosure_status=DisclosureStatus.STATED_ELSEWHERE)
    with structlog.testing.capture_logs() as lines:
        await adjust(database, shop, off)
        await adjust(database, shop, off)
        await adjust(
            database, shop, SettingsAdjustment(disclosed={"fr": "Une IA répond ici à tous."})
        )

    said = [line for line in lines if line["event"] == "AI disclosure changed"]
    assert [(line["before"], line["after"]) for line in said] == [("on", "stated_elsewhere")]
    found = await read(database, shop)
    assert found.disclosure == {"fr": "Une IA répond ici à tous."}
    assert found.disclosure_status is DisclosureStatus.STATED_ELSEWHERE


async def test_two_adjustments_at_once_both_stay(database: Database, shop: Shop) -> None:
    await adjust(database, shop, SettingsAdjustment(looks={"color": "#000000"}))
    await asyncio.gather(
        adjust(database, shop, SettingsAdjustment(looks={"display_name": "Été"})),
        adjust(database, shop, SettingsAdjustment(looks={"logo_url": "https://a.example/l.svg"})),
        adjust(database, shop, SettingsAdjustment(days={"conversations": 90})),
        adjust(database, shop, SettingsAdjustment(acknowledged={"fr": "Bien lu."})),
        adjust(database, shop, SettingsAdjustment(acknowledged={"en": "Noted."})),
        adjust(database, shop, SettingsAdjustment(frame={"fr": {"greeting": "Salut,"}})),
        adjust(database, shop, SettingsAdjustment(frame={"fr": {"sign_off": "À vous"}})),
        adjust(database, shop, SettingsAdjustment(guidance={"tone": "Bref."})),
        adjust(database, shop, SettingsAdjustment(guidance={"do": ("Tutoyez.",)})),
    )

    found = await read(database, shop)
    assert found.branding == Branding(
        display_name="Été", logo_url="https://a.example/l.svg", color="#000000"
    )
    assert found.retention == {"conversations": 90}
    assert found.acknowledgement == {"fr": "Bien lu.", "en": "Noted."}
    assert found.frame == {"fr": {"greeting": "Salut,", "sign_off": "À vous"}}
    assert found.guidance == Guidance(tone="Bref.", do=("Tutoyez.",))
    await adjust(database, shop, SettingsAdjustment(frame={"fr": {"greeting": ""}}))
    assert (await read(database, shop)).frame == {"fr": {"sign_off": "À vous"}}


async def test_only_owners_and_admins_change_them(database: Database, shop: Shop) -> None:
    for actor in (Actor.person(new_ulid(), Role.VIEWER), Actor.key(shop.key_id)):
        async with units_on(database).of(shop.tenant) as work:
            for use_case in (
                change_settings(work, actor, SettingsChange(system_prompt="x")),
                adjust_settings(work, actor, SettingsAdjustment(system_prompt="x")),
            ):
                with pytest.raises(RoleRequired):
                    await use_case
    assert await read(database, shop) == ClientSettings()

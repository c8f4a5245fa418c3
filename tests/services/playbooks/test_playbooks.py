"""The use cases for playbooks: immutable versions, imports by name, and one event per
activation."""

import asyncio
from collections.abc import Sequence

import pytest
import structlog
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.system import new_ulid, utc_now
from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionLevel, ActionRule, Rulebook
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from domain.playbooks.errors import PlaybookNotFound
from domain.playbooks.file import parse_playbooks, write_playbooks
from domain.playbooks.playbook import Playbook, PlaybookEntry, PlaybookSpec
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import ClientNotFound, RoleRequired
from services.playbooks.playbooks import (
    create_playbook,
    delete_playbook,
    import_playbooks,
    switch_playbook,
)
from services.playbooks.publish_gate import NEW_CLIENT
from store.core.database import Database
from store.playbooks.playbooks import PlaybookRepository
from store.playbooks.tables import playbook_versions
from store.webhooks.tables import webhook_deliveries
from tests.domain.playbooks.test_file import SPECS
from tests.support.core.rows import rows
from tests.support.core.units import Recorder, units_on
from tests.support.tenants.shop import Shop, open_shop
from tests.support.webhooks.told import told_events
from tests.support.webhooks.webhooks import subscribe

OWNER = Actor.person("sub|1", Role.OWNER)
NOTES = Rulebook(actions={ActionKind.NOTE: ActionRule(level=ActionLevel.AUTONOMOUS)})
SPEC = PlaybookSpec(name="Retours", event_type="email.*", rulebook=NOTES)
OTHER = SPEC.model_copy(update={"name": "Autre", "event_type": "shopify.*"})


def changed(**update: object) -> PlaybookSpec:
    return SPEC.model_copy(update=update)


async def bring_in(
    database: Database, shop: Shop, specs: Sequence[PlaybookSpec], actor: str = "alice"
) -> list[tuple[str, int]]:
    async with units_on(database).of(shop.tenant) as work:
        done = await import_playbooks(work, Actor.operator(actor), specs, NEW_CLIENT)
    return [(change.outcome.value, change.entry.playbook.version) for change in done]


async def switch(database: Database, shop: Shop, playbook_id: str, *, active: bool) -> None:
    async with units_on(database).of(shop.tenant) as work:
        await switch_playbook(work, Actor.operator("bob"), playbook_id, NEW_CLIENT, active=active)


async def everything(database: Database, shop: Shop) -> tuple[PlaybookEntry, ...]:
    async with database.tenant(shop.tenant) as connection:
        return await PlaybookRepository(connection, shop.tenant).all()


async def named(database: Database, shop: Shop, name: str = SPEC.name) -> PlaybookEntry:
    (entry,) = [entry for entry in await everything(database, shop) if entry.playbook.name == name]
    return entry


async def told(database: Database, shop: Shop) -> list[tuple[str, int, str]]:
    """Return the name, version and actor of each activated playbook, in order."""
    return [
        (one.data["name"], one.data["version"], one.data["actor"])
        for one in await told_events(database, client_id=shop.client_id, event="playbook.activated")
    ]


async def test_a_version_is_never_changed(database: Database, shop: Shop) -> None:
    assert await bring_in(database, shop, [SPEC]) == [("created", 1)]
    first = (await rows(database, playbook_versions, of=shop, name=SPEC.name))[0]
    assert await bring_in(database, shop, [changed(rulebook=Rulebook())]) == [("changed", 2)]
    assert await bring_in(database, shop, [changed(threshold=0.9)]) == [("changed", 3)]

    entry = await named(database, shop)
    assert (entry.playbook.version, entry.playbook.threshold) == (3, 0.9)
    assert await rows(database, playbook_versions, of=shop, name=SPEC.name, version=1) == [first]
    async with database.tenant(shop.tenant) as connection:
        repository = PlaybookRepository(connection, shop.tenant)
        assert await repository.rulebook(entry.playbook.id, 1) == NOTES
        assert await repository.rulebook(entry.playbook.id, 2) == Rulebook()
        assert entry.playbook in await repository.active()


async def test_the_same_again_changes_nothing(database: Database, shop: Shop) -> None:
    specs = [SPEC, changed(name="Autre", active=False)]
    await bring_in(database, shop, specs)
    before = await everything(database, shop)

    assert await bring_in(database, shop, specs) == [("unchanged", 1), ("unchanged", 1)]
    assert await everything(database, shop) == before
    assert await told(database, shop) == [(SPEC.name, 1, "alice")]


async def test_each_coming_on_is_told_once(database: Database, shop: Shop) -> None:
    """By import or by switch; deactivation and a new version of an active playbook are not
    reported."""
    assert await bring_in(database, shop, [changed(active=False)]) == [("created", 1)]
    playbook_id = (await named(database, shop)).playbook.id
    assert await told(database, shop) == []

    assert await bring_in(database, shop, [SPEC]) == [("switched", 1)]
    assert await bring_in(database, shop, [changed(threshold=0.8)]) == [("changed", 2)]
    assert await told(database, shop) == [(SPEC.name, 1, "alice")]

    for active in (True, False, False, True, True):
        await switch(database, shop, playbook_id, active=active)
    off = changed(threshold=0.8, active=False)
    assert await bring_in(database, shop, [off]) == [("switched", 2)]
    assert await bring_in(database, shop, [SPEC], "carol") == [("changed", 3)]
    assert await told(database, shop) == [
        (SPEC.name, 1, "alice"),
        (SPEC.name, 2, "bob"),
        (SPEC.name, 3, "carol"),
    ]


async def test_what_comes_on_is_sent_after_the_commit(database: Database, shop: Shop) -> None:
    await subscribe(database, shop, events=("playbook.activated",))
    engine = Recorder()
    specs = [SPEC, OTHER, changed(name="Off", active=False)]
    async with units_on(database, engine).of(shop.tenant) as work:
        await import_playbooks(work, OWNER, specs, NEW_CLIENT)
        await switch_playbook(work, OWNER, shop.playbook_id, NEW_CLIENT, active=False)
        await switch_playbook(work, OWNER, shop.playbook_id, NEW_CLIENT, active=True)
        assert engine.sent == []

    deliveries = await rows(database, webhook_deliveries, of=shop)
    assert sorted(engine.sent) == sorted(str(one["id"]) for one in deliveries)
    assert len(deliveries) == 3


async def test_only_owners_and_admins_change_them(database: Database, shop: Shop) -> None:
    before = await everything(database, shop)
    for actor in (Actor.person(new_ulid(), Role.AGENT), Actor.key(shop.key_id)):
        async with units_on(database).of(shop.tenant) as work:
            for use_case in (
                create_playbook(work, actor, SPEC, NEW_CLIENT),
                import_playbooks(work, actor, [SPEC], NEW_CLIENT),
                switch_playbook(work, actor, shop.playbook_id, NEW_CLIENT, active=False),
                delete_playbook(work, actor, shop.playbook_id),
            ):
                with pytest.raises(RoleRequired):
                    await use_case
    assert await everything(database, shop) == before


async def test_each_change_is_in_the_log(database: Database, shop: Shop) -> None:
    await bring_in(database, shop, [OTHER])
    other = (await named(database, shop, "Autre")).playbook.id
    with structlog.testing.capture_logs() as lines:
        async with units_on(database).of(shop.tenant) as work:
            made = (await create_playbook(work, OWNER, SPEC, NEW_CLIENT)).playbook
            await import_playbooks(
                work, OWNER, [SPEC, OTHER.model_copy(update={"threshold": 0.9})], NEW_CLIENT
            )
            await switch_playbook(work, OWNER, made.id, NEW_CLIENT, active=True)
            await switch_playbook(work, OWNER, made.id, NEW_CLIENT, active=False)
    about = [line for line in lines if line["event"] != "loosened"]
    assert [(line["event"], line["playbook_id"], line["user_id"]) for line in about] == [
        ("playbook created", made.id, OWNER.name),
        ("playbook changed", other, OWNER.name),
        ("playbook switched", made.id, OWNER.name),
    ]


async def test_switched_on_by_many_at_once(database: Database, shop: Shop) -> None:
    await switch(database, shop, shop.playbook_id, active=False)
    await asyncio.gather(*(switch(database, shop, shop.playbook_id, active=True) for _ in range(8)))

    assert len(await told(database, shop)) == 1


async def test_imported_by_many_at_once(database: Database, shop: Shop) -> None:
    outcomes = await asyncio.gather(*(bring_in(database, shop, [SPEC]) for _ in range(8)))

    assert sorted(outcomes) == [[("created", 1)], *[[("unchanged", 1)]] * 7]
    assert (await named(database, shop)).playbook.version == 1
    assert len(await told(database, shop)) == 1


async def test_names_that_say_too_little(database: Database, shop: Shop) -> None:
    async with database.tenant(shop.tenant) as connection:
        repository = PlaybookRepository(connection, shop.tenant)
        for _ in range(2):
            playbook = Playbook(
                id=new_ulid(), version=1, name=SPEC.name, event_type="*", threshold=0.5
            )
            await repository.create(playbook, active=True, now=utc_now())

    other = changed(name="Autre")
    for specs in ([other, SPEC], [other, other]):
        with pytest.raises(InvalidInput, match="more than one of this name"):
            await bring_in(database, shop, specs)
    assert "Autre" not in {entry.playbook.name for entry in await everything(database, shop)}


async def test_one_is_made_under_a_name_of_its_own(database: Database, shop: Shop) -> None:
    async with units_on(database).of(shop.tenant) as work:
        made = await create_playbook(work, OWNER, SPEC, NEW_CLIENT)
        with pytest.raises(InvalidInput, match="Retours"):
            await create_playbook(work, OWNER, changed(event_type="*"), NEW_CLIENT)

    assert await named(database, shop) == made


async def test_clients_have_their_own(database: Database, shop: Shop) -> None:
    other = await open_shop(database, rulebook=NOTES)
    await bring_in(database, other, [SPEC])

    assert await bring_in(database, shop, [SPEC]) == [("created", 1)]
    with pytest.raises(PlaybookNotFound):
        await switch(database, shop, other.playbook_id, active=False)


async def test_a_client_that_does_not_exist(database: Database) -> None:
    async with units_on(database).of(TenantId("nobody")) as work:
        with pytest.raises(ClientNotFound):
            await import_playbooks(work, OWNER, [SPEC], NEW_CLIENT)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(specs=st.lists(SPECS, max_size=3, unique_by=lambda spec: spec.name))
async def test_what_was_exported_changes_nothing(
    database: Database, shop: Shop, specs: list[PlaybookSpec]
) -> None:
    """Through the file and through the database."""
    async with units_on(database).of(shop.tenant) as work:
        for entry in await everything(database, shop):
            await delete_playbook(work, OWNER, entry.playbook.id)
    specs = [
        spec.model_copy(update={"active": spec.active and spec.event_type not in taken})
        for place, spec in enumerate(specs)
        for taken in [{one.event_type for one in specs[:place] if one.active}]
    ]
    await bring_in(database, shop, specs)
    before = await everything(database, shop)
    exported = parse_playbooks(write_playbooks([entry.spec for entry in before]).encode())

    done = await bring_in(database, shop, exported)

    assert {outcome for outcome, _ in done} <= {"unchanged"}
    assert await everything(database, shop) == before
    assert {spec.name: spec for spec in exported}.items() >= {
        spec.name: spec for spec in specs
    }.items()

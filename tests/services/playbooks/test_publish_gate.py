"""The publish gate: a version answers no events before its cases pass on exactly that version."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import pytest

from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionLevel, ActionRule, Rulebook
from domain.cases.case import CaseSpec
from domain.cases.errors import CasesNotGreen
from domain.content.content import TemplateChange, TemplateEntry
from domain.core.errors import InvalidInput
from domain.playbooks.file import PlaybookDraft
from domain.playbooks.playbook import PlaybookSpec
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import RoleRequired
from services.cases.saved_cases import change_case
from services.content.templates import change_template
from services.core.unit_of_work import UnitOfWork
from services.playbooks.playbooks import (
    create_playbook,
    delete_playbook,
    import_playbooks,
    restore_playbook,
    switch_playbook,
    update_playbook,
)
from services.playbooks.publish_gate import Publication
from store.audit.tables import audit_entries
from store.content.content_changes import ContentChanges
from store.core.database import Database
from store.playbooks.tables import playbook_versions, playbooks
from tests.support.cases.verdicts import MODEL, case_spec, judge, saved
from tests.support.core.rows import only_row, rows
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop

OWNER: Final = Actor.person("owner", Role.OWNER)
ADMIN: Final = Actor.person("admin", Role.ADMIN)
STRICT: Final = Rulebook(
    actions={ActionKind.REPLY: ActionRule(level=ActionLevel.HUMAN_APPROVED)},
)
GATED: Final = Publication(lambda: MODEL)
FORCED: Final = Publication(lambda: MODEL, override="Soldes demain.")
SPEC: Final = PlaybookSpec(name="Retours", event_type="email.*", rulebook=STRICT)
OFF: Final = SPEC.model_copy(update={"active": False})
MAIL: Final = case_spec(event_type="email.received")

Change = Callable[[UnitOfWork, str, Publication], Awaitable[object]]


def _draft(spec: PlaybookSpec) -> PlaybookDraft:
    return PlaybookDraft(spec, says_active=True)


# Each starts with the playbook SPEC, which is inactive and has never answered.
WAYS: Final[dict[str, Change]] = {
    "switch": lambda work, it, how: switch_playbook(work, ADMIN, it, how, active=True),
    "update": lambda work, it, how: update_playbook(work, ADMIN, it, _draft(SPEC), how),
    "import": lambda work, _, how: import_playbooks(work, ADMIN, [SPEC], how),
    "create": lambda work, _, how: create_playbook(
        work,
        ADMIN,
        SPEC.model_copy(update={"name": "Autre", "event_type": "email.received"}),
        how,
    ),
}


async def made(database: Database, shop: Shop, spec: PlaybookSpec = OFF) -> str:
    async with units_on(database).of(shop.tenant) as work:
        return (await create_playbook(work, OWNER, spec, GATED)).playbook.id


async def done(database: Database, shop: Shop, change: Change, it: str, how: Publication) -> None:
    async with units_on(database).of(shop.tenant) as work:
        await change(work, it, how)


async def refused(
    database: Database, shop: Shop, change: Change, it: str, how: Publication = GATED
) -> tuple[int, int]:
    """Return how many cases fail or were not run; check that nothing was stored."""
    before = [await rows(database, table, of=shop) for table in (playbooks, playbook_versions)]
    with pytest.raises(CasesNotGreen) as error:
        await done(database, shop, change, it, how)
    after = [await rows(database, table, of=shop) for table in (playbooks, playbook_versions)]
    assert after == before
    return error.value.failing, error.value.untried


@pytest.mark.parametrize("way", WAYS)
async def test_each_way_to_go_live_asks(database: Database, shop: Shop, way: str) -> None:
    it, case = await made(database, shop), await saved(database, shop, MAIL)
    assert await refused(database, shop, WAYS[way], it) == (0, 1)
    await judge(database, shop, case, SPEC, passed=False)
    assert await refused(database, shop, WAYS[way], it) == (1, 0)
    await judge(database, shop, case, SPEC)
    await done(database, shop, WAYS[way], it, GATED)

    live = [row for row in await rows(database, playbook_versions, of=shop) if row["live_at"]]
    assert {row["name"] for row in live} == {"all", "Autre" if way == "create" else SPEC.name}


def _update(spec: PlaybookSpec) -> Change:
    return lambda work, it, how: update_playbook(work, OWNER, it, _draft(spec), how)


def _import(spec: PlaybookSpec) -> Change:
    return lambda work, _, how: import_playbooks(work, OWNER, [spec], how)


def _restore(version: int) -> Change:
    return lambda work, it, how: restore_playbook(work, OWNER, it, version, how)


@pytest.mark.parametrize("way", [_update, _import], ids=["update", "import"])
async def test_a_change_of_what_is_on_asks(
    database: Database, shop: Shop, way: Callable[[PlaybookSpec], Change]
) -> None:
    """Restoring a version that was live needs no cases, whatever the route and the new cases."""
    case = await saved(database, shop, MAIL)
    await judge(database, shop, case, SPEC)
    it = await made(database, shop, SPEC)
    bolder = SPEC.model_copy(update={"threshold": 0.1})
    assert await refused(database, shop, way(bolder), it) == (0, 1)
    await done(database, shop, way(bolder), it, FORCED)

    await saved(database, shop, case_spec("later", event_type="email.other"))
    for change in (way(SPEC), _restore(2), _restore(1)):
        await done(database, shop, change, it, GATED)
    versions = await rows(database, playbook_versions, of=shop, playbook_id=it)
    assert sorted(row["version"] for row in versions if row["live_at"]) == [1, 2, 3, 4, 5]


async def test_what_was_never_live_is_not_restored(database: Database, shop: Shop) -> None:
    """A version created while its playbook was inactive has answered nothing."""
    it, case = await made(database, shop), await saved(database, shop, MAIL)
    bolder = OFF.model_copy(update={"threshold": 0.1})
    async with units_on(database).of(shop.tenant) as work:
        await update_playbook(work, OWNER, it, _draft(bolder), GATED)
    await judge(database, shop, case, bolder)
    await done(database, shop, WAYS["switch"], it, GATED)

    assert await refused(database, shop, _restore(1), it) == (0, 1)
    async with units_on(database).of(shop.tenant) as work:
        await switch_playbook(work, OWNER, it, GATED, active=False)
    await done(database, shop, _restore(1), it, GATED)  # it is inactive
    assert await refused(database, shop, WAYS["switch"], it) == (0, 1)


async def test_only_cases_that_fall_to_it_count(database: Database, shop: Shop) -> None:
    """`all` handles the others. A narrower playbook takes its cases away."""
    await saved(database, shop, case_spec("rest"))
    await saved(database, shop, case_spec("may fail", event_type="email.received", must=False))
    it = await made(database, shop)
    await done(database, shop, WAYS["switch"], it, GATED)
    assert (await only_row(database, playbooks, of=shop, id=it))["is_active"]

    await saved(database, shop, MAIL)
    assert await refused(database, shop, WAYS["create"], it) == (0, 1)


async def test_shadow_goes_live_when_it_ends(database: Database, shop: Shop) -> None:
    await saved(database, shop, MAIL)
    shadow = SPEC.model_copy(update={"rulebook": STRICT.model_copy(update={"shadow": True})})
    it = await made(database, shop, shadow)
    assert (await only_row(database, playbook_versions, of=shop, playbook_id=it))["live_at"] is None
    assert await refused(database, shop, WAYS["update"], it) == (0, 1)


async def test_a_verdict_holds_for_one_digest(database: Database, shop: Shop) -> None:
    """Of content, model and case; tests above cover the playbook's digest."""
    it, case = await made(database, shop), await saved(database, shop, MAIL)
    await judge(database, shop, case, SPEC)
    other = Publication(lambda: "another model")
    assert await refused(database, shop, WAYS["switch"], it, other) == (0, 1)
    async with database.reading(shop.tenant) as connection:
        template = (await ContentChanges(connection, shop.tenant).all(TemplateEntry))[0]

    async def say(body: str) -> None:
        async with units_on(database).of(shop.tenant) as work:
            await change_template(work, OWNER, template.id, TemplateChange(body=body))

    await say("Bonjour !")
    assert await refused(database, shop, WAYS["switch"], it) == (0, 1)
    await say(template.body)
    stricter = CaseSpec(**{**dict(case_spec(event_type="email.received")), "tries": 3})
    async with units_on(database).of(shop.tenant) as work:
        await change_case(work, OWNER, case.id, stricter)
    assert await refused(database, shop, WAYS["switch"], it) == (0, 1)
    async with units_on(database).of(shop.tenant) as work:
        await change_case(work, OWNER, case.id, MAIL)
    await done(database, shop, WAYS["switch"], it, GATED)


async def test_an_owner_overrides_and_it_is_kept(database: Database, shop: Shop) -> None:
    it, case = await made(database, shop), await saved(database, shop, MAIL)
    await saved(database, shop, case_spec("second", event_type="email.other"))
    await judge(database, shop, case, SPEC, passed=False)
    with pytest.raises(RoleRequired):
        await done(database, shop, WAYS["switch"], it, FORCED)  # by an admin
    assert await refused(database, shop, WAYS["switch"], it) == (1, 1)

    async with units_on(database).of(shop.tenant) as work:
        await switch_playbook(work, OWNER, it, FORCED, active=True)
    version = await only_row(database, playbook_versions, of=shop, playbook_id=it)
    assert (version["live_at"] is not None, version["note"]) == (True, FORCED.override)
    (entry,) = [
        row
        for row in await rows(database, audit_entries, of=shop)
        if row["what"] == "publish gate overridden"
    ]
    assert "Soldes" not in str(entry)
    assert {key: entry["ids"][key] for key in ("playbook_id", "version", "failing", "untried")} == {
        "playbook_id": it, "version": "1", "failing": "1", "untried": "1",
    }  # fmt: skip


async def test_an_override_that_is_not_needed_is_none(database: Database, shop: Shop) -> None:
    it = await made(database, shop)
    async with units_on(database).of(shop.tenant) as work:
        await switch_playbook(work, OWNER, it, FORCED, active=True)
    assert (await only_row(database, playbook_versions, of=shop, playbook_id=it))["note"] is None
    actions = {row["what"] for row in await rows(database, audit_entries, of=shop)}
    assert "publish gate overridden" not in actions


@pytest.mark.parametrize("reason", ["", "  ", "\u200b", "—!", "x" * 501], ids=range(5))
def test_a_reason_has_words(reason: str) -> None:
    with pytest.raises(InvalidInput, match="override"):
        Publication.of(lambda: MODEL, reason)


async def test_two_publishes_and_a_change_of_content_at_once(
    database: Database, shop: Shop
) -> None:
    """In any order, the live version passed with the content at its publication."""
    it, case = await made(database, shop), await saved(database, shop, MAIL)
    await judge(database, shop, case, SPEC)
    async with database.reading(shop.tenant) as connection:
        template = (await ContentChanges(connection, shop.tenant).all(TemplateEntry))[0]

    async def change(number: int) -> None:
        async with units_on(database).of(shop.tenant) as work:
            text = TemplateChange(body=f"Bonjour {number}.")
            await change_template(work, OWNER, template.id, text)

    for number in range(3):
        outcomes = await asyncio.gather(
            done(database, shop, WAYS["switch"], it, GATED),
            change(number),
            done(database, shop, WAYS["import"], it, GATED),
            return_exceptions=True,
        )
        assert all(one is None or isinstance(one, CasesNotGreen) for one in outcomes)
        version = await only_row(database, playbook_versions, of=shop, playbook_id=it)
        is_on = (await only_row(database, playbooks, of=shop, id=it))["is_active"]
        assert is_on == (version["live_at"] is not None)
        assert is_on == (None in (outcomes[0], outcomes[2]))
        async with units_on(database).of(shop.tenant) as work:
            await delete_playbook(work, OWNER, it)
        it = await made(database, shop)
        await judge(database, shop, case, SPEC)

"""Saving the policy: every changed playbook, under the rules for playbooks."""

from datetime import timedelta
from typing import Final

import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionLevel, ActionRule, MoneyLimits, Rulebook
from domain.cases.errors import CasesNotGreen
from domain.core.money import Money
from domain.dashboard.errors import ChangedMeanwhile
from domain.playbooks.errors import PlaybookNotFound
from domain.playbooks.playbook import PlaybookEntry, PlaybookSpec
from domain.playbooks.policy_figures import ActionFigures
from domain.playbooks.policy_matrix import PolicyEdit, read_policy
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import LooseningHeld, RoleRequired
from services.playbooks.loosening_approvals import approve_loosening
from services.playbooks.playbooks import create_playbook, import_playbooks
from services.playbooks.policy import (
    PolicyPreview,
    PolicyReport,
    list_current_versions,
    preview_policy,
    report_policy,
    save_policy,
)
from services.playbooks.publish_gate import NEW_CLIENT, Publication
from store.audit.tables import audit_entries
from store.core.database import Database
from store.playbooks import policy_figures
from store.playbooks.playbooks import PlaybookRepository
from store.playbooks.tables import playbook_versions
from store.runs.tables import action_ledger, engine_runs
from store.tenants.tables import loosenings
from tests.support.analytics.days import past_event
from tests.support.cases.verdicts import MODEL, case_spec, judge, saved
from tests.support.core.rows import only_row, rows
from tests.support.core.units import units_on
from tests.support.tenants.joined import join
from tests.support.tenants.shop import Shop, open_shop

REFUND: Final = ActionKind.REFUND
OWNER: Final = Actor.person("owner", Role.OWNER)
GATED: Final = Publication(lambda: MODEL)
NOW: Final = utc_now()
SPECS: Final = tuple(
    PlaybookSpec(name=name, event_type=f"{name}.*") for name in ("shopify", "email", "zendesk")
)


def refunds(minor: int = 5_000, level: ActionLevel = ActionLevel.HUMAN_APPROVED) -> ActionRule:
    return ActionRule(level=level, limits=MoneyLimits(currency="EUR", per_action=minor))


async def _entries(database: Database, shop: Shop) -> tuple[PlaybookEntry, ...]:
    async with database.reading(shop.tenant) as connection:
        return await PlaybookRepository(connection, shop.tenant).all()


async def _digest(database: Database, shop: Shop) -> str:
    return read_policy(await _entries(database, shop)).digest


async def _open(database: Database, *rules: ActionRule) -> Shop:
    """Create a shop with a playbook for each rule, in addition to its default one."""
    shop = await open_shop(database, event_type="other.*")
    specs = [
        spec.model_copy(update={"rulebook": Rulebook(actions={REFUND: rule})})
        for spec, rule in zip(SPECS, rules, strict=False)
    ]
    async with units_on(database).of(shop.tenant) as work:
        await import_playbooks(work, Actor.operator("operator:root"), specs, NEW_CLIENT)
    return shop


async def _save(
    database: Database,
    shop: Shop,
    edit: PolicyEdit,
    *,
    actor: Actor = OWNER,
    publication: Publication = GATED,
    seen: str | None = None,
) -> list[str]:
    """Save the policy; return the names of the playbooks with a new version."""
    digest = await _digest(database, shop) if seen is None else seen
    async with units_on(database).of(shop.tenant) as work:
        changes = await save_policy(work, actor, edit, publication, seen=digest)
    return sorted(one.entry.playbook.name for one in changes)


async def _refunds_of(database: Database, shop: Shop) -> dict[str, ActionRule]:
    return {one.playbook.name: one.rulebook.rule(REFUND) for one in await _entries(database, shop)}


async def test_a_shared_rule_changes_the_channels_that_share_it(database: Database) -> None:
    own = refunds(1_000)
    shop = await _open(database, refunds(), refunds(), own)
    stricter = refunds(2_000)
    edit = PolicyEdit(None, {REFUND: stricter}, note="Fewer mistakes.")

    assert await _save(database, shop, edit) == ["email", "shopify"]
    found = await _refunds_of(database, shop)
    assert (found["shopify"], found["email"], found["zendesk"]) == (stricter, stricter, own)
    versions = await rows(database, playbook_versions, of=shop, version=2)
    assert {(one["name"], one["note"], one["author"]) for one in versions} == {
        ("shopify", "Fewer mistakes.", OWNER.known_as),
        ("email", "Fewer mistakes.", OWNER.known_as),
    }
    actions = [one["what"] for one in await rows(database, audit_entries, of=shop)]
    assert actions.count("playbook changed") == 2
    assert await _save(database, shop, edit) == []


async def test_a_channel_gets_a_rule_of_its_own_and_follows_again(database: Database) -> None:
    shop = await _open(database, refunds(), refunds())
    channel = next(one for one in await _entries(database, shop) if one.playbook.name == "email")
    off = ActionRule(level=ActionLevel.NEVER)

    assert await _save(database, shop, PolicyEdit(channel.playbook.id, {REFUND: off})) == ["email"]
    assert (await _refunds_of(database, shop))["shopify"] == refunds()
    follows = PolicyEdit(channel.playbook.id, {ActionKind.TAG: None})
    assert await _save(database, shop, follows) == []
    with pytest.raises(PlaybookNotFound):
        await _save(database, shop, PolicyEdit(new_ulid(), {REFUND: off}))
    stranger = await _open(database, refunds())
    with pytest.raises(PlaybookNotFound):
        await _save(database, stranger, PolicyEdit(channel.playbook.id, {REFUND: off}))


async def test_a_policy_that_has_changed_is_refused(database: Database) -> None:
    shop = await _open(database, refunds(), refunds())
    seen = await _digest(database, shop)
    await _save(database, shop, PolicyEdit(None, {REFUND: refunds(4_000)}))

    with pytest.raises(ChangedMeanwhile):
        await _save(database, shop, PolicyEdit(None, {REFUND: refunds(3_000)}), seen=seen)
    assert (await _refunds_of(database, shop))["email"] == refunds(4_000)


@pytest.mark.parametrize("role", [Role.AGENT, Role.VIEWER])
async def test_only_managers_save(database: Database, role: Role) -> None:
    shop = await _open(database, refunds())
    with pytest.raises(RoleRequired):
        await _save(database, shop, PolicyEdit(None, {}), actor=Actor.person("x", role), seen="")


async def test_the_gate_holds_all_of_it_or_none(database: Database) -> None:
    """A failing case of one channel blocks the whole policy, until it passes or an owner
    overrides."""
    shop = await _open(database, refunds(), refunds())
    case = await saved(database, shop, case_spec(event_type="email.received"))
    edit = PolicyEdit(None, {REFUND: refunds(2_000)})

    before = await _entries(database, shop)
    with pytest.raises(CasesNotGreen):
        await _save(database, shop, edit)
    assert await _entries(database, shop) == before
    forced = Publication(lambda: MODEL, override="The sale begins.")
    admin = Actor.person("admin", Role.ADMIN)
    with pytest.raises(RoleRequired):
        await _save(database, shop, edit, actor=admin, publication=forced)

    async def preview() -> PolicyPreview:
        async with database.reading(shop.tenant) as connection:
            return await preview_policy(connection, shop.tenant, OWNER, edit, lambda: MODEL)

    found = await preview()
    assert [one.name for one in found.gate.untried] == [case.name]
    assert not found.gate.may_pass
    (draft,) = (spec for _, spec in found.changed if spec.name == "email")
    await judge(database, shop, case, draft)
    assert (await preview()).gate.may_pass
    assert await _save(database, shop, edit) == ["email", "shopify"]


async def test_a_looser_policy_waits_for_a_second_manager(database: Database) -> None:
    """The stricter half is held too, and the approval applies the whole policy."""
    shop = await _open(database, refunds(), refunds())
    owner = Actor.person(shop.owner_user_id, Role.OWNER)
    second = Actor.person(new_ulid(), Role.ADMIN)
    async with database.service() as connection:
        await join(connection, shop.client_id, second.name, Role.ADMIN)
    strict = ActionRule(level=ActionLevel.HUMAN_APPROVED)
    edit = PolicyEdit(None, {REFUND: refunds(9_000), ActionKind.REPLY: strict}, note="Sale.")

    before = await _entries(database, shop)
    digest = await _digest(database, shop)
    async with units_on(database).of(shop.tenant) as work:
        with pytest.raises(LooseningHeld):
            await save_policy(work, owner, edit, GATED, seen=digest)
    assert await _entries(database, shop) == before
    held = await only_row(database, loosenings, client_id=shop.client_id)
    assert [one["place"] for one in held["differences"]] == [
        "email.*: refund.limits.per_action",
        "shopify.*: refund.limits.per_action",
    ]
    async with units_on(database).of(shop.tenant) as work:
        await approve_loosening(work, second, held["id"], lambda: MODEL)
    found = await _refunds_of(database, shop)
    assert (found["shopify"], found["email"]) == (refunds(9_000), refunds(9_000))
    versions = await rows(database, playbook_versions, of=shop, version=2)
    assert {one["note"] for one in versions} == {"Sale."}
    assert {one["name"] for one in versions} == {"shopify", "email", "all"}


async def _ledger(database: Database, shop: Shop, minor: int, **values: object) -> None:
    event_id = await past_event(database, shop, NOW - timedelta(days=2), response="x")
    run = await only_row(database, engine_runs, event_id=event_id)
    row = {
        "client_id": shop.client_id,
        "id": new_ulid(),
        "run_id": run["id"],
        "step": 0,
        "round": 0,
        "action": "refund",
        "state": "done",
        "detail": "",
        "order_key": "demo_shop/1",
        "amount": minor,
        "currency": "EUR",
        "planned_at": NOW - timedelta(days=2),
    }
    async with database.tenant(shop.tenant) as connection:
        await connection.execute(sa.insert(action_ledger).values(**{**row, **values}))


async def _report(database: Database, shop: Shop) -> PolicyReport:
    viewer = Actor.person("viewer", Role.VIEWER)
    async with database.reading(shop.tenant) as connection:
        return await report_policy(connection, shop.tenant, viewer, NOW)


async def test_the_figures_are_of_the_last_month_and_of_this_shop(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop, stranger = await _open(database, refunds()), await _open(database)
    await _ledger(database, shop, 4_900)
    await _ledger(database, shop, 100)
    await _ledger(database, shop, 700, currency="USD")
    await _ledger(database, shop, 1, planned_at=NOW - timedelta(days=31))
    await _ledger(database, shop, 1, state="unknown")
    await _ledger(database, stranger, 1)
    steps, verdicts = (
        [{"kind": "reply", "state": "done"}, {"kind": "tag", "state": "failed"}],
        [
            {"kind": "refund", "ruling": "refused", "reason": "order_too_old"},
            {"kind": "reply", "ruling": "allowed"},
        ],
    )
    for days in (3, 40):
        at = NOW - timedelta(days=days)
        await past_event(database, shop, at, response="x", steps=steps, verdicts=verdicts)

    figures = (await _report(database, shop)).figures

    euros, dollars = Money(minor=5_000, currency="EUR"), Money(minor=700, currency="USD")
    assert figures.of(REFUND) == ActionFigures(done=3, refused=1, amounts=(euros, dollars))
    assert figures.of(ActionKind.REPLY) == ActionFigures(done=1)
    assert figures.of(ActionKind.TAG) == ActionFigures()
    assert not figures.is_partial
    monkeypatch.setattr(policy_figures, "EXAMINED", 1)
    assert (await _report(database, shop)).figures.is_partial


async def test_versions_are_listed_by_their_time(database: Database) -> None:
    shop, stranger = await _open(database, refunds(), refunds()), await _open(database, refunds())
    await _save(database, shop, PolicyEdit(None, {REFUND: refunds(1)}, note="Why"))
    async with units_on(database).of(shop.tenant) as work:
        off = PlaybookSpec(name="off", event_type="off.*", active=False)
        await create_playbook(work, OWNER, off, GATED)

    async with database.reading(shop.tenant) as connection:
        found = await list_current_versions(connection, shop.tenant, OWNER)
    assert found[0].name == "off"
    assert [(one.name, one.version, one.note) for one in found[1:3]] == [
        (one.name, 2, "Why") for one in found[1:3]
    ]
    assert {one.name for one in found} == {"off", "all", "shopify", "email"}
    assert {one.playbook_id for one in found}.isdisjoint(
        one.playbook.id for one in await _entries(database, stranger)
    )

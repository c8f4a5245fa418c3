"""The policy pages: the matrix, the draft in words, publication, a channel's own rules."""

import re

import pytest

from adapters.system import new_ulid
from api.dashboard.policy_form import policy_edit_in, policy_fields
from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionLevel, ActionRule, MoneyLimits, Rulebook
from domain.playbooks.merge import as_entry
from domain.playbooks.playbook import PlaybookEntry, PlaybookSpec
from domain.playbooks.policy_matrix import Policy, edit_policy, read_policy
from domain.playbooks.starter import starter_playbooks
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from services.playbooks.playbooks import import_playbooks
from services.playbooks.publish_gate import NEW_CLIENT
from store.playbooks.playbooks import PlaybookRepository
from tests.support.cases.verdicts import case_spec, saved
from tests.support.core.engine import LiveEngine
from tests.support.core.units import units_on
from tests.support.dashboard.visitors import at_pages, form_of
from tests.support.tenants.joined import join
from tests.support.tenants.shop import Shop, open_shop

POLICY = "/app/policy"
STRICTER = {"actions.refund.level": "human-approved"}
CAPPED = ActionRule(
    level=ActionLevel.HUMAN_APPROVED, limits=MoneyLimits(currency="EUR", per_action=5_000)
)
_FIELD = re.compile(r'<(?:input|select)\b[^>]*\bname="(actions\.[^"]+)"')


async def _bring_in(front: LiveEngine, shop: Shop, *specs: PlaybookSpec) -> None:
    async with units_on(front.database).of(shop.tenant) as work:
        await import_playbooks(work, Actor.operator("operator:root"), specs, NEW_CLIENT)


def _mail(rule: ActionRule = CAPPED) -> PlaybookSpec:
    rulebook = Rulebook(actions={ActionKind.REFUND: rule})
    return PlaybookSpec(name="Mails <b>", event_type="email.*", rulebook=rulebook)


async def _entries(front: LiveEngine, shop: Shop) -> dict[str, PlaybookEntry]:
    async with front.database.reading(shop.tenant) as connection:
        found = await PlaybookRepository(connection, shop.tenant).all()
    return {one.playbook.name: one for one in found}


def _level(page: str, kind: str) -> str:
    """Return the selected level of an action."""
    inner = page.partition(f'name="actions.{kind}.level"')[2].partition("</select>")[0]
    found = re.search(r'value="([^"]*)" selected', inner)
    return found[1] if found else ""


def _values(page: str) -> dict[str, str]:
    """Return the form's fields as a browser sends them unchanged."""
    values = dict.fromkeys(_FIELD.findall(page), "")
    for box in re.findall(r'<input type="checkbox"[^>]*>', page):
        name = re.search(r'name="([^"]+)"', box)
        assert name is not None
        values.pop(name[1], None)
        if " checked" in box:
            values[name[1]] = "on"
    for name in [one for one in values if one.endswith(".level")]:
        values[name] = _level(page, name.split(".")[1])
    for typed in re.findall(r'<input id="actions[^>]*>', page):
        name, value = re.search(r'name="([^"]+)"', typed), re.search(r'value="([^"]*)"', typed)
        assert name is not None
        values[name[1]] = value[1] if value else ""
    return values


async def test_a_new_shop_sees_one_policy_and_an_untouched_form_changes_nothing(
    front: LiveEngine, shop: Shop
) -> None:
    off = PlaybookSpec(name="all", event_type="*", active=False)
    await _bring_in(front, shop, off, *starter_playbooks())
    before = await _entries(front, shop)
    async with at_pages(front, shop) as owner:
        page = await owner.see(POLICY)
        assert _level(page, "refund") == "human-approved"
        assert "Max. per action: €50.00" in page
        assert "WooCommerce" in page
        values = _values(page)
        assert len(values) < 90
        done = await owner.follow(await owner.send(POLICY, POLICY, {**values, "do": "publish"}))
        assert "Nothing to publish." in done
        one = f"{POLICY}/{before['Shopify'].playbook.id}"
        values = _values(await owner.see(one))
        done = await owner.follow(await owner.send(one, one, {**values, "do": "publish"}))
        assert "Nothing to publish." in done
    assert await _entries(front, shop) == before


async def test_a_draft_is_said_in_words_then_published(front: LiveEngine, shop: Shop) -> None:
    await _bring_in(front, shop, _mail())
    edit = {
        "actions.refund.level": "human-approved",
        "actions.refund.limits.currency": "EUR",
        "actions.refund.limits.per_action": "20,00",
        "everywhere.refund": "on",
        "note": "Fewer mistakes.",
    }
    async with at_pages(front, shop) as owner:
        page = await owner.follow(await owner.send(POLICY, POLICY, {**edit, "do": "draft"}))
        assert "Draft saved" in page
        assert "<del>€50.00</del> → <ins>€20.00</ins>" in page
        assert "Mails &lt;b&gt;" in page
        assert "No test covers this change" in page
        assert (await _entries(front, shop))["Mails <b>"].playbook.version == 1
        page = await owner.follow(await owner.send(POLICY, POLICY, {**edit, "do": "publish"}))
        assert "Changed playbooks: 2." in page
        assert "<ins>" not in page
        assert "Fewer mistakes." in await owner.see(f"{POLICY}/versions")
    rules = [one.rulebook.rule(ActionKind.REFUND) for one in (await _entries(front, shop)).values()]
    assert {one.limits and one.limits.per_action for one in rules} == {2_000}


async def test_a_wrong_field_is_named_and_kept(front: LiveEngine, shop: Shop) -> None:
    wrong = {
        "actions.refund.level": "autonomous",
        "actions.refund.limits.currency": "EUR",
        "actions.refund.limits.per_action": "much",
    }
    async with at_pages(front, shop) as owner:
        page = await owner.follow(await owner.send(POLICY, POLICY, wrong))
        assert "Refund · Max. per action" in page
        assert 'value="much"' in page
        dropped = {"form": POLICY}
        await owner.send(POLICY, "/app/drafts/drop", dropped)
        long = {**STRICTER, "note": "x" * 501}
        assert "note" in await owner.follow(await owner.send(POLICY, POLICY, long))
    assert (await _entries(front, shop))["all"].playbook.version == 1


async def test_a_channel_gets_a_rule_of_its_own(front: LiveEngine, shop: Shop) -> None:
    other = PlaybookSpec(name="Shop", event_type="shopify.*")
    await _bring_in(front, shop, _mail(), other)
    one = f"{POLICY}/{shop.playbook_id}"
    async with at_pages(front, shop) as owner:
        published = await owner.send(one, one, {"actions.reply.level": "human-approved"})
        page = await owner.follow(published)
        assert _level(page, "reply") == "human-approved"
        assert _level(page, "note") == ""
        same = await owner.follow(await owner.send(one, one, {"actions.reply.level": ""}))
        assert "Changed playbooks: 1." in same
        assert _level(same, "reply") == ""
        stranger = await open_shop(front.database)
        for nowhere in (stranger.playbook_id, new_ulid(), "x"):
            assert (await owner.http.get(f"{POLICY}/{nowhere}")).status_code == 404
        hidden = form_of(await owner.see(one), one)
        lost = await owner.http.post(f"{POLICY}/{stranger.playbook_id}", data=hidden)
        assert lost.status_code == 404


async def test_the_second_of_two_tabs_is_refused_and_kept(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        late = form_of(await owner.see(POLICY), POLICY)
        first = {"actions.note.level": "human-approved"}
        assert "published" in await owner.follow(await owner.send(POLICY, POLICY, first))
        page = await owner.follow(await owner.http.post(POLICY, data={**late, **STRICTER}))
        assert "Someone else just edited this" in page
        assert _level(page, "refund") == "human-approved"
    assert (await _entries(front, shop))["all"].playbook.version == 2


async def test_tests_run_on_the_draft_and_an_owner_publishes_anyway(
    front: LiveEngine, shop: Shop
) -> None:
    await _bring_in(front, shop, _mail())
    await saved(front.database, shop, case_spec("Parcel", event_type="email.received"))
    edit = {"actions.reply.level": "human-approved"}
    async with at_pages(front, shop) as owner:
        page = await owner.follow(await owner.send(POLICY, POLICY, edit))
        assert "Tests have not passed" in page
        assert "Parcel" in page
        assert 'name="override"' in page
        run = await owner.send(POLICY, POLICY, {**edit, "do": "cases"})
        assert run.headers["location"].startswith("/app/simulator/runs/")
        forced = {**edit, "override": "The sale begins."}
        page = await owner.follow(await owner.send(POLICY, POLICY, forced))
        assert "Changed playbooks: 2." in page


async def test_a_looser_policy_waits(front: LiveEngine, shop: Shop) -> None:
    await _bring_in(front, shop, _mail())
    async with front.database.service() as connection:
        await join(connection, shop.client_id, new_ulid(), Role.ADMIN)
    looser = {"actions.refund.level": "human-approved", "everywhere.refund": "on"}
    async with at_pages(front, shop) as owner:
        held = await owner.send(POLICY, POLICY, looser)
        assert held.headers["location"] == "/app/loosenings"
    assert (await _entries(front, shop))["Mails <b>"].playbook.version == 1


@pytest.mark.parametrize("language", ["en", "fr"])
async def test_a_viewer_reads_it(front: LiveEngine, shop: Shop, language: str) -> None:
    await _bring_in(front, shop, _mail())
    async with at_pages(front, shop, Role.VIEWER, language=language) as viewer:
        for path in (POLICY, f"{POLICY}/{shop.playbook_id}", f"{POLICY}/versions"):
            page = await viewer.see(path)
            assert 'value="publish"' not in page
            assert "actions.refund" not in page


async def test_without_a_playbook_there_is_one_to_make(front: LiveEngine, shop: Shop) -> None:
    one = f"/app/playbooks/{shop.playbook_id}"
    async with at_pages(front, shop) as owner:
        await owner.send(one, f"{one}/switch", {"active": "false"})
        assert "No active playbook" in await owner.see(POLICY)
        assert (await owner.http.get(f"{POLICY}/{shop.playbook_id}")).status_code == 404


def _two(rule: ActionRule) -> Policy:
    """Create two channels that share a rule for tags."""
    rulebook = Rulebook(actions={ActionKind.TAG: rule, ActionKind.REFUND: CAPPED})
    specs = [PlaybookSpec(name=name, event_type=name, rulebook=rulebook) for name in "ab"]
    return read_policy([as_entry(spec, spec.name, 1) for spec in specs])


TAGS = ActionRule(level=ActionLevel.AUTONOMOUS, tags=("vip, gold", "new"))


@pytest.mark.parametrize("channel_id", [None, "a"])
def test_a_rule_that_a_form_cannot_say_stays_unless_it_is_edited(channel_id: str | None) -> None:
    """A tag with a comma looks like two tags in the form."""
    policy = _two(TAGS)
    shown = policy_fields(policy, channel_id)

    assert policy_edit_in(shown, policy, channel_id).rules == {}
    typed = {**shown, "actions.tag.tags": "vip"}
    edited = policy_edit_in(typed, policy, channel_id)
    assert edited.rules == {ActionKind.TAG: TAGS.model_copy(update={"tags": ("vip",)})}


def test_limits_of_a_channel_without_a_level_are_not_lost() -> None:
    policy = _two(TAGS)
    typed = {**policy_fields(policy, "a"), "actions.refund.limits.per_action": "20"}
    stricter = MoneyLimits(currency="EUR", per_action=2_000)

    edit = policy_edit_in(typed, policy, "a")
    assert edit.rules == {ActionKind.REFUND: CAPPED.model_copy(update={"limits": stricter})}
    own = edit_policy(policy, edit)
    follows = {**policy_fields(own, "a"), "actions.refund.level": ""}
    assert policy_edit_in(follows, own, "a").rules == {ActionKind.REFUND: None}

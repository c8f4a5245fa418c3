"""The playbook pages: edited as fields or YAML, gated, versioned, imported."""

import pytest

from domain.core.comparable import DiffBudget
from domain.tenants.client import Role
from tests.support.cases.verdicts import case_spec, saved
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages, form_of
from tests.support.tenants.shop import Shop, open_shop

LIST = "/app/playbooks"
NEW = f"{LIST}/new"
FIELDS = {"name": "Mails <b>", "event_type": "email.*", "threshold": "0.8", "active": "true"}


async def test_a_playbook_is_made_changed_restored_and_deleted(
    front: LiveEngine, shop: Shop
) -> None:
    async with at_pages(front, shop) as owner:
        made = await owner.send(NEW, LIST, {**FIELDS, "shape": "fields"})
        one = made.headers["location"]
        assert "Mails &lt;b&gt;" in await owner.follow(made)
        edit = f"{one}/edit"
        assert "Draft saved" in await owner.follow(
            await owner.send(edit, edit, {**FIELDS, "threshold": "0.85", "do": "draft"})
        )
        yaml = await owner.follow(
            await owner.send(edit, edit, {**FIELDS, "threshold": "0.9", "do": "yaml"})
        )
        assert "threshold: 0.9" in yaml
        bad = {"shape": "yaml", "yaml": "name: A\nevent_type: email.*\nthreshold: much\n"}
        assert "Line 3, column 1:" in await owner.follow(await owner.send(edit, edit, bad))
        good = {**bad, "yaml": bad["yaml"].replace("much", "0.9"), "note": "Surer."}
        assert "Version 2 is live" in await owner.follow(await owner.send(edit, edit, good))
        assert "Surer." in await owner.see(f"{one}/versions")
        assert "<ins>+ threshold: 0.9</ins>" in await owner.see(f"{one}/diff")
        back = await owner.send(f"{one}/versions", f"{one}/restore", {"version": "1"})
        assert "as version 3" in await owner.follow(back)
        assert "Trial mode" in await owner.follow(await owner.send(one, f"{one}/mode"))
        assert "was deleted" in await owner.follow(await owner.send(one, f"{one}/delete"))


async def test_a_procedure_is_written_one_step_a_line(front: LiveEngine, shop: Shop) -> None:
    given = {
        **FIELDS,
        "shape": "fields",
        "procedure.when": "The parcel is <late>.",
        "procedure.steps": "Name the carrier.\r\n\r\n Give the link. ",
        "procedure.hand_over": "It is lost.",
    }
    async with at_pages(front, shop) as owner:
        too_many = {**given, "procedure.steps": "\n".join("abcdefghijk")}
        assert "procedure.steps" in await owner.follow(await owner.send(NEW, LIST, too_many))
        made = await owner.send(NEW, LIST, given)
        page = await owner.follow(made)
        assert "The parcel is &lt;late&gt;." in page
        assert '<li dir="auto">Name the carrier.</li><li dir="auto">Give the link.</li>' in page
        edit = f"{made.headers['location']}/edit"
        assert "Name the carrier.\nGive the link.</textarea>" in await owner.see(edit)
        cleared = dict.fromkeys((name for name in given if name.startswith("procedure")), "")
        await owner.send(edit, edit, {**given, **cleared, "do": "publish"})
        assert "Give the link." not in await owner.see(made.headers["location"])
        diff = await owner.see(f"{made.headers['location']}/diff")
        assert "- Give the link." in diff


async def test_the_gate_is_said_and_an_owner_passes_with_a_reason(
    front: LiveEngine, shop: Shop
) -> None:
    await saved(front.database, shop, case_spec("Parcel", event_type="email.received"))
    async with at_pages(front, shop) as owner:
        off = {**FIELDS, "active": "false", "shape": "fields"}
        one = (await owner.send(NEW, LIST, off)).headers["location"]
        assert "Parcel" in await owner.see(f"{one}/gate")
        red = await owner.follow(await owner.send(one, f"{one}/switch"))
        assert "haven’t passed" in red
        assert 'name="override"' in red
        passed = await owner.send(one, f"{one}/switch", {"override": "The sale begins."})
        assert "is on." in await owner.follow(passed)


async def test_a_file_is_previewed_then_imported(front: LiveEngine, shop: Shop) -> None:
    at = f"{LIST}/import"
    async with at_pages(front, shop) as owner:
        text = (await owner.see(f"{LIST}/file")).replace("0.7", "0.75")
        seen = await owner.follow(await owner.send(at, at, {"file": text, "do": "preview"}))
        assert "0.75" in seen
        assert "Changed" in seen
        done = await owner.send(at, at, {"file": text, "do": "import"})
        assert "Playbooks imported:" in await owner.follow(done)


async def test_a_preview_beyond_its_limit_shows_the_rest_without_lines(
    front: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = f"{LIST}/import"
    monkeypatch.setattr(DiffBudget, "is_used_up", True)
    async with at_pages(front, shop, Role.OWNER) as owner:
        text = (await owner.http.get(f"{LIST}/file")).text.replace(
            "threshold: ", "threshold: 0.9 # "
        )
        previewed = await owner.follow(await owner.send(at, at, {"file": text, "do": "preview"}))

    assert "too many changes" in previewed
    assert "<details><summary>Compare" not in previewed


@pytest.mark.parametrize("language", ["en", "fr"])
async def test_a_viewer_reads_each_page(front: LiveEngine, shop: Shop, language: str) -> None:
    one = f"{LIST}/{shop.playbook_id}"
    async with at_pages(front, shop, Role.VIEWER, language=language) as viewer:
        for path in (LIST, one, *(f"{one}/{x}" for x in ("versions", "threshold", "shadow"))):
            assert f"{one}/edit" not in await viewer.see(path)
        for path in (NEW, f"{one}/edit", f"{LIST}/import"):
            assert (await viewer.http.get(path)).status_code == 403


async def test_the_second_of_two_tabs_and_another_shop(front: LiveEngine, shop: Shop) -> None:
    edit = f"{LIST}/{shop.playbook_id}/edit"
    first = {**FIELDS, "event_type": "*", "shape": "fields"}
    async with at_pages(front, shop) as owner:
        late = form_of(await owner.see(edit), edit)
        assert "Version 2" in await owner.follow(await owner.send(edit, edit, first))
        refused = await owner.http.post(edit, data={**late, **first, "name": "Mine"})
        page = await owner.follow(refused)
        assert "Someone else just updated this playbook" in page
        assert "Mine" in page
        run = await owner.send(edit, edit, {**first, "do": "cases"})
        assert run.headers["location"].startswith("/app/simulator/runs/")
        other = await open_shop(front.database)
        for path in ("", "/edit", "/versions", "/gate", "/threshold", "/shadow", "/diff"):
            assert (await owner.http.get(f"{LIST}/{other.playbook_id}{path}")).status_code == 404

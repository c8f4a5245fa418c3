"""Journeys around the agent: a playbook, its threshold, a knowledge gap, the copilot."""

import re
from typing import Final

import pytest
import sqlalchemy as sa
from playwright.async_api import Browser, expect

from domain.cases.case import CaseExpectation, CaseSpec
from domain.simulation.outcome import OutcomeStatus
from domain.simulation.scenario import Scenario, ScenarioMessage
from domain.tenants.client import Role
from store.cases.tables import case_runs
from store.content.tables import knowledge_entries
from store.playbooks.tables import playbook_versions, playbooks
from store.reviews.tables import escalation_tickets
from tests.e2e.dashboard.conftest import Served
from tests.support.cases.verdicts import saved
from tests.support.core.rows import only_row, rows
from tests.support.core.waiting import eventually
from tests.support.dashboard.chromium import Seat, seated
from tests.support.learning.left_runs import LeftRun, leave_run
from tests.support.reviews.reviews import open_review
from tests.support.tenants.shop import ORDER_QUESTION, Shop

pytestmark = pytest.mark.slow

SCRIPTS = [True, False]
CASE: Final = CaseSpec(
    name="Where is my order",
    scenario=Scenario(messages=(ScenarioMessage(text=ORDER_QUESTION),), event_type="api_direct"),
    expected=CaseExpectation(status=OutcomeStatus.COMPLETED),
    must=True,
)
YAML: Final = 'name: all\nevent_type: "*"\nthreshold: {threshold}\n'
GAP: Final = "Do you deliver to Switzerland?"
ANSWER: Final = "We deliver to Switzerland within 4 days."
SENTENCE: Final = re.compile(
    r"At (\d+)\s*%, your team approves (\d+) of the last (\d+) replies"
    r" and catches (\d+) of (\d+) corrections"
)
# Written independently of the product's query. A run with a sufficient confidence and a review is
# reviewed at any threshold, so its correction is not counted.
COUNTS: Final = sa.text("""
    SELECT count(*) FILTER (WHERE is_below OR is_held), count(*),
        count(*) FILTER (WHERE is_below AND is_corrected AND NOT is_held),
        count(*) FILTER (WHERE is_corrected AND NOT is_held)
    FROM (
        SELECT run.confidence < :threshold AS is_below,
            review.id IS NOT NULL AND run.confidence >= 0.7 AS is_held,
            review.edited_text IS NOT NULL OR review.status = 'rejected' AS is_corrected
        FROM engine_runs AS run LEFT JOIN escalation_tickets AS review ON review.run_id = run.id
        WHERE run.client_id = :client_id
    ) AS runs
""")


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_a_playbook_is_corrected_gated_published_and_restored(
    browser: Browser, served: Served, scripts: bool
) -> None:
    database = served.engine.database
    shop, secret = await served.owner()
    await saved(database, shop, CASE)
    one = f"/app/playbooks/{shop.playbook_id}"
    async with seated(browser, served.url, secret, scripts=scripts) as seat:
        await _write_yaml(seat, one, "much", "publish")
        assert "Line 3, column 1:" in await seat.text()
        await expect(seat.page.locator("[name=yaml]")).to_have_value(YAML.format(threshold="much"))

        await _write_yaml(seat, one, "1", "publish")
        assert "passed. Run them before publishing" in await seat.text()
        assert await _live(served, shop) == (1, 0.7)
        await _write_yaml(seat, one, "1", "cases")
        await _cases_ended(served, seat, shop, 1)
        assert "0 / 1" in await seat.text()
        await _write_yaml(seat, one, "1", "publish")
        assert "passed. Run them before publishing" in await seat.text()
        assert await _live(served, shop) == (1, 0.7)

        await _write_yaml(seat, one, "0.75", "cases")
        await _cases_ended(served, seat, shop, 2)
        assert "1 / 1" in await seat.text()
        await _write_yaml(seat, one, "0.75", "publish", note="Surer.")
        assert "Version 2 is live" in await seat.text()
        assert await _live(served, shop) == (2, 0.75)

        await seat.open(f"{one}/versions")
        assert "Surer." in await seat.text()
        await seat.press("Restore version 1 as version 3")
        assert "Version 1 is live again, as version 3." in await seat.text()
        assert await _live(served, shop) == (3, 0.7)
        assert seat.complaints == []


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_the_sentence_about_a_threshold_agrees_with_the_database(
    browser: Browser, served: Served, scripts: bool
) -> None:
    database = served.engine.database
    shop, secret = await served.owner()
    async with database.tenant(shop.tenant) as connection:
        for number in range(12):
            await leave_run(connection, shop, LeftRun(0.72 + number / 100))
        for confidence, review in (
            *((0.61, "edited"), (0.64, "edited"), (0.65, "edited"), (0.4, "rejected")),
            *((0.5, "approved"), (0.66, "approved"), (0.69, "edited")),
            *((0.9, "approved"), (0.95, "rejected")),
        ):
            left = LeftRun(confidence, review, edited=review == "edited")
            await leave_run(connection, shop, left)
    one = f"/app/playbooks/{shop.playbook_id}"
    async with seated(browser, served.url, secret, scripts=scripts) as seat:
        await seat.open(f"{one}/threshold")
        now, suggested = SENTENCE.findall(await seat.page.locator("main").inner_text())
        for sentence in (now, suggested):
            percent, *numbers = map(int, sentence)
            async with database.service() as connection:
                facts = {"client_id": shop.client_id, "threshold": percent / 100}
                counted = (await connection.execute(COUNTS, facts)).one()
            assert numbers == list(counted)
        assert (int(now[0]), int(now[2])) == (70, 21)
        async with seat.page.expect_navigation():
            await seat.page.locator("main .note a").click()
        await expect(seat.page.locator("#threshold")).to_have_value(
            str(int(suggested[0]) / 100), timeout=1_000
        )
        await _press_in(seat, f"{one}/edit", "publish")
        assert await _live(served, shop) == (2, int(suggested[0]) / 100)
        await seat.open(f"{one}/threshold")
        assert suggested in SENTENCE.findall(await seat.page.locator("main").inner_text())
        assert seat.complaints == []


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_a_gap_becomes_an_article_that_answers(
    browser: Browser, served: Served, scripts: bool
) -> None:
    """The reviewer's reply is the first draft of the article."""
    engine = served.engine
    shop, secret = await served.owner()
    first = (await engine.post(shop, message=GAP)).json()
    assert first["status"] == "needs_review"
    review = await only_row(engine.database, escalation_tickets, of=shop)
    assert review["reason"] == "missing_knowledge"
    at = f"/app/reviews/{review['id']}"
    async with seated(browser, served.url, secret, scripts=scripts) as seat:
        await seat.open(at)
        words = seat.page.locator(f'form[action="{at}/edit"] textarea')
        if not await words.is_visible():
            await seat.page.locator('summary[data-key="edit"]').click()
        await words.fill(ANSWER)
        async with seat.page.expect_navigation():
            await seat.page.locator(f'form[action="{at}/edit"] button').click()
        await engine.run_of(shop, first["event_id"]).result()

        await seat.open("/app/knowledge/gaps")
        card = seat.page.locator("section.card").filter(has_text=GAP)
        async with seat.page.expect_navigation():
            await card.locator('a[href^="/app/knowledge/new?"]').click()
        await expect(seat.page.locator("#body")).to_have_value(ANSWER)
        await seat.page.locator("#title").fill("Delivery to Switzerland")
        async with seat.page.expect_navigation():
            await seat.page.get_by_role("button", name="Save", exact=True).click()
        entry = await only_row(engine.database, knowledge_entries, of=shop)
        assert entry["body"] == ANSWER

        second = (await engine.post(shop, message=GAP)).json()
        assert second["status"] == "completed"
        assert ANSWER in second["response"]
        await seat.open("/app/knowledge/gaps")
        await expect(card.locator(f'a[href="/app/knowledge/{entry["id"]}"]')).to_have_count(1)
        assert seat.complaints == []


@pytest.mark.parametrize("scripts", SCRIPTS)
async def test_the_copilot_cites_the_review_that_it_means(
    browser: Browser, served: Served, scripts: bool
) -> None:
    """Also for a viewer. The link opens the review."""
    shop, _ = await served.owner()
    review = await open_review(served.engine.database, shop, text="Où est mon peignoir ?")
    viewer = await served.colleague(shop, Role.VIEWER)
    async with seated(browser, served.url, viewer, scripts=scripts) as seat:
        await seat.open("/app/copilot")
        await seat.page.locator("#question").fill("Who has been waiting longest?")
        await seat.page.locator("#copilot").get_by_role("button", name="Ask").click()
        cited = seat.page.locator(f'#copilot [role=status] a[href="/app/reviews/{review}"]')
        await expect(cited.first).to_be_visible()
        assert "Who has been waiting longest?" in await seat.text()
        async with seat.page.expect_navigation():
            await cited.first.click()
        assert "Où est mon peignoir ?" in await seat.text()
        assert seat.complaints == []
    row = await only_row(served.engine.database, escalation_tickets, id=review)
    assert (row["status"], row["claimed_by"]) == ("pending", None)


async def _write_yaml(
    seat: Seat, one: str, threshold: str, button: str, *, note: str | None = None
) -> None:
    """Submit the playbook as YAML with this threshold. `button`: its value."""
    edit = f"{one}/edit"
    await seat.open(edit)
    if await seat.page.locator("[name=yaml]").count() == 0:
        await _press_in(seat, edit, "yaml")
    await seat.page.locator("[name=yaml]").fill(YAML.format(threshold=threshold))
    if note is not None:
        await seat.page.locator("[name=note]").fill(note)
    await _press_in(seat, edit, button)


async def _press_in(seat: Seat, form: str, button: str) -> None:
    async with seat.page.expect_navigation():
        await seat.page.locator(f'main form[action="{form}"] button[value="{button}"]').click()


async def _cases_ended(served: Served, seat: Seat, shop: Shop, number: int) -> None:
    """Wait for this many runs of the cases, and reload the page."""

    async def ended() -> bool:
        runs = await rows(served.engine.database, case_runs, of=shop, state="done")
        return len(runs) == number

    await eventually(ended)
    await seat.page.reload()


async def _live(served: Served, shop: Shop) -> tuple[int, float]:
    """Return the number and the threshold of the playbook's version."""
    row = await only_row(served.engine.database, playbooks, of=shop)
    version = await only_row(
        served.engine.database, playbook_versions, of=shop, version=row["version"]
    )
    return version["version"], float(version["threshold"])

"""The pages of corrections and labelled examples."""

from domain.tenants.client import Role
from store.cases.tables import saved_cases
from store.content.tables import knowledge_entries
from store.learning.tables import labelled_examples
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.dashboard.visitors import at_pages
from tests.support.learning.corrections import SENT, corrected
from tests.support.learning.lessons import keep_head
from tests.support.reviews.reviews import open_review
from tests.support.tenants.shop import Shop

LIST = "/app/corrections"
FIELDS = {
    "classification": "product_question",
    "intent": "return",
    "case": "on",
    "content": "on",
    "title": "Retours",
    "body": SENT,
}


async def test_a_correction_becomes_a_case_an_entry_and_an_example(
    front: LiveEngine, shop: Shop
) -> None:
    at = f"{LIST}/{await corrected(front.database, shop, text='<script>x</script> ?')}"
    async with at_pages(front, shop) as owner, at_pages(front, shop, Role.AGENT) as agent:
        assert at in await owner.see(LIST)
        page = await owner.see(at)
        assert "<ins>" in page
        assert "<script>x" not in page
        assert f"{at}/accept" not in await agent.see(at)

        done = await owner.follow(await owner.send(at, f"{at}/accept", FIELDS))
        assert "Saved. The agent will use it." in done
        await only_row(front.database, saved_cases, of=shop)
        entry = await only_row(front.database, knowledge_entries, of=shop)
        assert (entry["title"], entry["body"]) == ("Retours", SENT)
        assert at in await owner.see(LIST, state="accepted")

        examples = await owner.see("/app/examples")
        delete = examples.partition('action="/app/examples/')[2].partition('"')[0]
        gone = await owner.send("/app/examples", f"/app/examples/{delete}")
        assert "Example deleted." in await owner.follow(gone)


async def test_the_list_cuts_a_long_text_after_a_word(front: LiveEngine, shop: Shop) -> None:
    await corrected(front.database, shop, text="Where is the parcel that you promised? " * 8)
    async with at_pages(front, shop) as owner:
        page = await owner.see(LIST)
        assert "promised? Where is the parcel…</a>" in page


async def test_the_page_of_examples_shows_what_is_learnt(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        assert "Not trained yet." in await owner.see("/app/examples")
        version = await keep_head(front.database, shop)

        page = await owner.see("/app/examples")

    assert version in page
    assert "80%" in page
    assert "65%" in page
    assert "In use:" in page


async def test_nothing_is_ticked_before_the_person_ticks_it(front: LiveEngine, shop: Shop) -> None:
    """Pressing the button alone teaches nothing: the user must choose the class."""
    at = f"{LIST}/{await corrected(front.database, shop)}"
    async with at_pages(front, shop) as owner:
        page = await owner.see(at)
        form = page.partition(f'action="{at}/accept"')[2].partition("</form>")[0]
        assert 'type="checkbox"' in form
        assert " checked" not in form
        assert form.count(" selected") == form.count('value="" selected') == 2

        refused = await owner.follow(
            await owner.send(at, f"{at}/accept", {"classification": "", "intent": ""})
        )
        assert "There is a problem" in refused
    for table in (saved_cases, knowledge_entries, labelled_examples):
        assert await rows(front.database, table, of=shop) == []


async def test_an_offer_keeps_no_name_of_a_person(front: LiveEngine, shop: Shop) -> None:
    """Nor does an entry created from a review. The shop greets people whom it names nowhere
    else."""
    greeted = "Bonjour Léa Petit,\n\nLes retours sont gratuits pendant trente jours."
    at = f"{LIST}/{await corrected(front.database, shop, sent=greeted)}"
    review_id = await open_review(front.database, shop, draft=greeted)
    async with at_pages(front, shop) as owner:
        page = await owner.see(at)
        form = page.partition(f'action="{at}/accept"')[2].partition("</form>")[0]
        entry = await owner.see(f"/app/reviews/{review_id}/knowledge")
        for offered in (form, entry):
            assert "Les retours sont gratuits" in offered
            assert "Léa" not in offered
            assert "Petit" not in offered


async def test_a_correction_is_dismissed(front: LiveEngine, shop: Shop) -> None:
    at = f"{LIST}/{await corrected(front.database, shop, sent=None)}"
    async with at_pages(front, shop) as owner:
        page = await owner.follow(await owner.send(at, f"{at}/dismiss"))
        assert "Skipped." in page
        assert "Nothing to train on" in page

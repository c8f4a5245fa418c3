"""The template pages: create with a preview, edit, deactivate, delete."""

from domain.tenants.client import Role
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages
from tests.support.tenants.shop import Shop

LIST = "/app/templates"
NEW = f"{LIST}/new"
FIELDS = {
    "name": "Where is it",
    "body": "Hello {{ customer_name | }}, order {{ order_number }} is {{ order_status }}"
    " and waits at {{ parcel_shop }}.",
    "language": "en",
    "category": "order_status",
    "intent": "track_order",
    "not_for": "Switzerland\n\nabroad",
    "is_active": "on",
}


async def test_a_template_is_written_changed_and_deleted(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        added = await owner.send(NEW, NEW, FIELDS)
        one = added.headers["location"]
        page = await owner.follow(added)
        assert "Hello Anne Martin, order 1044 is shipped and waits at [parcel_shop]." in page
        assert "<code>parcel_shop</code>" in page
        assert "Switzerland\nabroad</textarea>" in page

        off = {name: text for name, text in FIELDS.items() if name != "is_active"}
        changed = await owner.follow(await owner.send(one, one, {**off, "intent": ""}))
        assert "Saved." in changed
        assert "Drafts only" in changed
        listed = await owner.see(LIST)
        assert "Off</span>" in listed
        assert "Where is it" not in await owner.see(LIST, language="fr")

        gone = await owner.follow(await owner.send(one, f"{one}/delete"))
        assert "Deleted." in gone
        assert (await owner.http.get(one)).status_code == 404


async def test_a_preview_saves_nothing_and_places_what_cannot_be_read(
    front: LiveEngine, shop: Shop
) -> None:
    wrong = {**FIELDS, "body": "Hello\nyou {{ 1x }} <script>"}
    async with at_pages(front, shop) as owner:
        seen = await owner.send(NEW, NEW, {**wrong, "preview": "1"})
        assert seen.status_code == 200
        assert "Line 2 has an invalid placeholder" in seen.text
        assert "<script>\n" not in seen.text
        assert "&lt;script&gt;" in seen.text

        refused = await owner.follow(await owner.send(NEW, NEW, wrong))
        assert "There is a problem" in refused
        assert "{{ 1x }}" in refused
        assert "Where is it" not in await owner.see(LIST)


async def test_a_change_is_tried_on_the_cases_and_kept(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        tried = await owner.send(NEW, NEW, {**FIELDS, "try": "1"})
        assert tried.headers["location"].startswith("/app/simulator/runs/")
        assert "with your change" in await owner.follow(tried)
        page = await owner.see(NEW)
        assert "Where is it" in page
        assert "Where is it" not in await owner.see(LIST)


async def test_a_viewer_reads(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        one = (await owner.send(NEW, NEW, FIELDS)).headers["location"]
    async with at_pages(front, shop, Role.VIEWER) as viewer:
        page = await viewer.see(one)
        assert "<textarea" not in page
        assert "{{ parcel_shop }}" in page
        assert (await viewer.http.get(NEW)).status_code == 403

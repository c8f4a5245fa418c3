"""The knowledge import page: a preview first, then all entries or none."""

from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages, form_of
from tests.support.tenants.shop import Shop

IMPORT = "/app/knowledge/import"
CSV = {
    "form": "csv",
    "language": "en",
    "text": 'title;body;language\nDelivery;3 days;\nReturns;"30 days; free";fr\n',
}


async def test_what_was_seen_is_imported(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        seen = await owner.send(IMPORT, IMPORT, CSV)
        assert "Add 2 and update 0" in seen.text
        assert "Delivery" not in await owner.see("/app/knowledge")

        sure = {**form_of(seen.text, IMPORT), **CSV}
        done = await owner.follow(await owner.http.post(IMPORT, data=sure))
        assert "Articles added: 2. Updated: 0." in done
        assert "Returns" in done

        text = "# FAQ\n\n## Delivery\n4 days\n\n## Size\nLarge\n"
        again = await owner.send(IMPORT, IMPORT, {**CSV, "form": "markdown", "text": text})
        assert "Add 1 and update 1" in again.text


async def test_a_wrong_line_keeps_all_of_it_out(front: LiveEngine, shop: Shop) -> None:
    wrong = {**CSV, "text": "title,body\nA,ok\nB,\nA,twice\n"}
    async with at_pages(front, shop) as owner:
        seen = await owner.send(IMPORT, IMPORT, wrong)
        assert "Line 3:" in seen.text
        assert "Line 4:" in seen.text
        assert "Nothing was saved." in seen.text

        blind = await owner.send(IMPORT, IMPORT, {**CSV, "_seen": "another"})
        page = await owner.follow(blind)
        assert "Someone else just edited this" in page
        assert "3 days" in page
        assert "Delivery" not in await owner.see("/app/knowledge")


async def test_a_file_is_read(front: LiveEngine, shop: Shop) -> None:
    table = "titre;texte\nDélais;Trois jours\n".encode("cp1252")
    async with at_pages(front, shop) as owner:
        form = {**form_of(await owner.see(IMPORT), IMPORT), **CSV, "text": ""}
        file = {"file": ("faq.csv", table, "text/csv")}
        seen = await owner.http.post(IMPORT, data=form, files=file)
        assert "Add 1 and update 0" in seen.text
        assert "Délais" in seen.text

        sure = {**form_of(seen.text, IMPORT), **CSV, "text": table.decode("cp1252")}
        done = await owner.http.post(IMPORT, data=sure)
        assert "Articles added: 1." in await owner.follow(done)

        twice = {"file": ("a.csv", b"\0", "text/csv")}
        assert (await owner.http.post(IMPORT, data=form, files=twice)).status_code == 400
        elsewhere = await owner.http.post("/app/knowledge", data=form, files=file)
        assert elsewhere.status_code == 415

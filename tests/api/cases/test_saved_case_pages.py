"""The pages of saved cases: create, edit, import, run, and tenant isolation."""

from domain.tenants.client import Role
from tests.support.cases.cases import a_case, a_case_run, a_spec
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages
from tests.support.tenants.shop import Shop, open_shop

LIST = "/app/simulator/cases"
FILE = "/app/simulator/case-file"
FIELDS = {"case_name": "Colis", "turn1": "Où est <script>ma commande</script> ?", "must": "on"}


async def test_a_case_is_written_changed_and_deleted(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        assert "Add eight starter tests" in await owner.see(LIST)
        added = await owner.follow(
            await owner.send(f"{LIST}/new", LIST, {**FIELDS, "forbidden:refund": "on"})
        )
        case = added.partition(f'href="{LIST}/01')[2].partition('"')[0]
        case = f"{LIST}/01{case}"
        page = await owner.see(case)
        assert "&lt;script&gt;ma commande" in page
        assert 'name="forbidden:refund" value="on" checked' in page

        changed = await owner.send(case, case, {**FIELDS, "classification": "order_status"})
        assert 'value="order_status" selected' in await owner.follow(changed)
        gone = await owner.follow(await owner.send(case, f"{case}/delete"))
        assert "Deleted." in gone


async def test_what_is_wrong_is_named_by_its_place(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop, language="fr") as owner:
        refused = await owner.send(f"{LIST}/new", LIST, {**FIELDS, "tries": "99"})
        page = await owner.follow(refused)
        assert "tries" in page.partition('role="alert"')[2].partition("</div>")[0]
        assert "ma commande" in page


async def test_a_file_is_shown_then_imported(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        await owner.follow(await owner.send(LIST, f"{LIST}/starter"))
        file = (await owner.http.get(f"{FILE}/cases.yaml")).text
        shown = await owner.send(FILE, FILE, {"file": file, "preview": "on"})
        assert "Unchanged" in shown.text
        done = await owner.send(FILE, FILE, {"file": file, "import": "on"})
        assert "Tests imported: 8" in await owner.follow(done)


async def test_all_cases_are_run(front: LiveEngine, shop: Shop) -> None:
    await a_case(front.database, shop, a_spec())
    async with at_pages(front, shop) as owner:
        started = await owner.send(LIST, "/app/simulator/runs")
        assert "Test run" in await owner.follow(started)
        assert started.headers["location"] in await owner.see("/app/simulator/runs")


async def test_who_may(front: LiveEngine, shop: Shop) -> None:
    case = await a_case(front.database, shop)
    other = await open_shop(front.database)
    run = await a_case_run(front.database, other)
    async with at_pages(front, shop, Role.VIEWER) as viewer:
        assert f"{LIST}/new" not in await viewer.see(LIST)
        assert (await viewer.http.get(f"{LIST}/new")).status_code == 403
        await viewer.see(f"{LIST}/{case}")
        assert (await viewer.http.get(f"/app/simulator/runs/{run}")).status_code == 404

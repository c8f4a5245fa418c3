"""The pages of runs and conversations: the message, the reason, and who handles it."""

import re
from dataclasses import replace

import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.analytics.churn import ChurnLevel, Prediction, week_of
from domain.tenants.client import Role
from store.analytics.churn import ChurnRepository
from store.intake.tables import engine_events
from store.runs.tables import ai_conversations, engine_messages, engine_runs
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.dashboard.visitors import at_pages
from tests.support.intake.attachments import PHOTO, keep_attachments
from tests.support.reviews.reviews import open_review
from tests.support.runs.conversation import CUSTOMER, write
from tests.support.runs.traced_run import TEXT, traced_run
from tests.support.tenants.shop import Shop, open_shop

INBOX = "/app/inbox"
HOSTILE = "<script>alert(1)</script>\u202e"


async def test_a_run_says_why(front: LiveEngine, shop: Shop) -> None:
    ref = (await traced_run(front.database, shop)).ref
    async with at_pages(front, shop) as owner:
        assert f"/app/runs/{ref.run_id}" in await owner.see("/app/runs")
        assert ref.run_id not in await owner.see("/app/runs", status="received")
        page = await owner.see(f"/app/runs/{ref.run_id}")
        for part in ("Policy checks", "Retours", "Details", "Timing"):
            assert part in page
        assert TEXT.partition("[")[0] in page
        assert f"/app/simulator?run_id={ref.run_id}" in page
        talk = (await only_row(front.database, ai_conversations, of=shop))["id"]
        assert f'href="/app/conversations/{talk}"' in page
        file = await owner.http.get(f"/app/runs/{ref.run_id}/json")
        assert file.json()["run_id"] == ref.run_id
        form = f"/app/simulator/cases/of-run/{ref.run_id}"
        saved = await owner.send(f"/app/runs/{ref.run_id}", form)
        assert saved.headers["location"].startswith("/app/simulator/cases/")
    async with at_pages(front, shop, Role.VIEWER, language="fr") as viewer:
        page = await viewer.see(f"/app/runs/{ref.run_id}")
        assert form not in page
        assert "Détails" in page


async def test_only_an_internal_admin_sees_the_link_to_the_workflow(
    front: LiveEngine, shop: Shop
) -> None:
    ref = (await traced_run(front.database, shop)).ref
    settings = front.settings
    temporal = settings.temporal.model_copy(update={"ui_url": "https://temporal.example"})
    resources = front.app.state.resources

    def with_admin(user_id: str) -> None:
        identity = settings.identity.model_copy(update={"admin_user_ids": user_id})
        changed = {"temporal": temporal, "identity": identity}
        chosen = settings.model_copy(update=changed)
        front.app.state.resources = replace(resources, settings=chosen)

    path = f"/app/runs/{ref.run_id}"
    link = (
        f"https://temporal.example/namespaces/{front.settings.temporal.namespace}/workflows/"
        f"event%2F{shop.client_id}%2F{ref.event_id}"
    )
    async with at_pages(front, shop) as owner:
        with_admin("another-user")
        assert "https://temporal.example" not in await owner.see(path)

        with_admin(shop.owner_user_id)

        assert f'href="{link}"' in await owner.see(path)


async def test_lists_are_empty_with_a_next_step(front: LiveEngine, shop: Shop) -> None:
    async with at_pages(front, shop) as owner:
        assert "/app/tickets/new" in await owner.see("/app/runs")
        assert "No tickets yet" in await owner.see(INBOX, view="all")
        assert "matches these filters" in await owner.see(INBOX, view="all", channel="email")


async def test_a_conversation_is_taken_over_and_handed_back(front: LiveEngine, shop: Shop) -> None:
    await write(front.database, shop, HOSTILE)
    async with front.database.tenant(shop.tenant) as connection:
        for column, table in (("text", engine_events), ("body", engine_messages)):
            await connection.execute(sa.update(table).values({column: HOSTILE}))
    talk = (await only_row(front.database, ai_conversations, of=shop))["id"]
    path = f"/app/conversations/{talk}"
    async with at_pages(front, shop) as owner:
        for page in (await owner.see(INBOX, view="all"), await owner.see(path)):
            assert "alert(1)&lt;/script&gt;" in page
            assert "<script>alert" not in page
        taken = await owner.follow(await owner.send(path, f"{path}/take"))
        assert "Assigned to you." in taken
        assert talk in await owner.see(INBOX, view="unanswered", held="taken")
        async with at_pages(front, shop, Role.AGENT) as agent:
            page = await agent.see(path)
            assert f"{path}/take" not in page
            assert f"{path}/hand-back" in page
        back = await owner.follow(await owner.send(path, f"{path}/hand-back"))
        assert "Agent resumed." in back
        assert talk not in await owner.see(INBOX, view="all", held="taken")
    async with at_pages(front, shop, Role.VIEWER) as viewer:
        assert "/take" not in await viewer.see(path)


async def test_a_thread_tells_mood_risk_and_what_was_done(front: LiveEngine, shop: Shop) -> None:
    ref = (await traced_run(front.database, shop)).ref
    second = await write(front.database, shop)
    talk = (await only_row(front.database, ai_conversations, of=shop))["id"]
    async with front.database.tenant(shop.tenant) as connection:
        for one, mood in ((ref, -0.8), (second, 0.4)):
            await connection.execute(
                sa.update(engine_runs).where(engine_runs.c.id == one.run_id).values(sentiment=mood)
            )
        await ChurnRepository(connection, shop.tenant).keep(
            {CUSTOMER: Prediction(score=0.7, level=ChurnLevel.HIGH, factors=())},
            week_of(utc_now()),
            now=utc_now(),
            new_id=new_ulid,
        )
    async with at_pages(front, shop) as owner:
        page = await owner.see(f"/app/conversations/{talk}")
        for part in (
            "Sentiment by message, from −1 to 1: -0.8 0.4",
            "Unhappy",
        ):
            assert part in page
        assert re.search(r"<dt>Churn risk</dt><dd><span[^>]*>(<[^>]*>)*High<", page)
        assert f'href="/app/runs/{ref.run_id}"' in page
        assert "/app/reviews/" in page
        assert "Refund" in page


async def test_a_customers_file_can_be_opened(front: LiveEngine, shop: Shop) -> None:
    ref = await write(front.database, shop)
    (file,) = await keep_attachments(front.database, shop.tenant, ref.event_id, PHOTO)
    talk = (await only_row(front.database, ai_conversations, of=shop))["id"]
    async with at_pages(front, shop) as owner:
        for path in (f"/app/conversations/{talk}", f"/app/runs/{ref.run_id}"):
            page = await owner.see(path)
            assert f'href="/app/attachments/{file.id}"' in page
            assert f'src="/app/attachments/{file.id}?inline=true"' in page


async def test_another_clients_records_are_not_there(front: LiveEngine, shop: Shop) -> None:
    other = await open_shop(front.database)
    ref = await write(front.database, other)
    talk = (await only_row(front.database, ai_conversations, of=other))["id"]
    async with at_pages(front, shop) as owner:
        for path in (
            f"/app/runs/{ref.run_id}",
            f"/app/runs/{ref.run_id}/json",
            f"/app/conversations/{talk}",
            f"/app/runs/{new_ulid()}",
        ):
            assert (await owner.http.get(path)).status_code == 404


async def test_a_title_names_the_customer_and_no_id(front: LiveEngine, shop: Shop) -> None:
    """Nor a category, if the customer's text can be shown."""
    ref = (await traced_run(front.database, shop)).ref
    review_id = await open_review(front.database, shop, text="Où est mon colis ?")
    async with at_pages(front, shop) as owner:
        title = _title(await owner.see(f"/app/runs/{ref.run_id}"))
        assert title.startswith(f"(1) {CUSTOMER} · ")
        assert ref.run_id not in title
        assert _title(await owner.see(f"/app/reviews/{review_id}")).startswith("(1) Visitor · ")
        listed = await owner.see("/app/runs")
        assert TEXT.partition("[")[0] in listed.partition("<tbody>")[2]
        assert f">{ref.run_id}<" not in listed


def _title(page: str) -> str:
    return page.partition("<title>")[2].partition("</title>")[0]

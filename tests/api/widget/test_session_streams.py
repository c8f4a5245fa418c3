"""GET /api/widget/messages as server-sent events: nothing lost, doubled, or of others."""

import asyncio
import dataclasses
from contextlib import ExitStack, aclosing, suppress

import psycopg
import pytest

from adapters.system import new_ulid, utc_now
from api.widget_feed import SessionFeed, SessionReader
from api.widget_streams import ALL_FREE, AN_ADDRESS, WidgetStreams
from domain.core.errors import ServerBusy
from domain.reviews.escalation import Decision
from domain.tenants.actor import Actor
from domain.widget.widget import WidgetChange
from domain.widget.widget_session import HeldSession
from services.reviews.claims import claim_review
from store.core.pools import WORK, of_a_client
from store.runs.tables import engine_runs
from store.tenants.accounts import AccountRepository
from store.tenants.client_settings import SettingsRepository
from store.widget.widgets import WidgetRepository
from tests.support.core.engine import LiveEngine, database_away
from tests.support.core.postgres import as_owner
from tests.support.core.rows import only_row
from tests.support.core.units import units_on
from tests.support.core.waiting import eventually
from tests.support.exports.export import served
from tests.support.tenants.shop import UNSURE_MESSAGE, Shop, open_shop
from tests.support.widget.page import WidgetPage, page_of
from tests.support.widget.stream import streaming
from tests.support.widget.talk import VERIFIED, answer, ask, begin

ANN = Actor.system("ann")
WORDS = "Nous vous rappelons demain."


@pytest.fixture
async def page(front: LiveEngine, shop: Shop) -> WidgetPage:
    return await page_of(front, shop)


def hasty(page: WidgetPage, *, silence_s: float = 0.05, lasts_s: float = 60) -> WidgetStreams:
    """Streams that are not notified, with a short polling interval."""
    app = page.engine.app
    streams = WidgetStreams(silence_s=silence_s, lasts_s=lasts_s)
    app.state.resources = dataclasses.replace(app.state.resources, widget_streams=streams)
    return streams


async def test_an_answer_that_a_person_approves_arrives_on_the_open_stream(
    engine: LiveEngine, shop: Shop
) -> None:
    page = await page_of(engine, shop)
    asked = await page.say(UNSURE_MESSAGE)
    assert asked["status"] == "needs_review"
    run_id = (await only_row(engine.database, engine_runs, of=shop))["id"]
    review_id = (await engine.review_of(run_id, round_=0))["id"]
    async with (
        served(engine.app) as port,
        streaming(page, f"http://127.0.0.1:{port}", asked["session_id"]) as stream,
    ):
        await stream.until(lambda it: bool(it.numbers) and it.state.get("waiting", False))
        assert stream.answer.headers["content-type"].startswith("text/event-stream")
        assert stream.answer.headers["access-control-allow-origin"] == "*"

        async with units_on(engine.database).of(shop.tenant) as work:
            await claim_review(work, ANN, review_id)
        await stream.until(lambda it: it.state.get("reviewing", False))
        await engine.decide(review_id, Decision.EDIT, WORDS, actor=ANN.name)

        await stream.until(lambda it: len(it.numbers) == 2 and not it.state.get("waiting"))

    assert stream.numbers == [1, 2]
    assert stream.texts == [UNSURE_MESSAGE, WORDS]
    assert stream.seen[-1].data["thinking"] is False
    (told,) = [event for event in stream.seen if event.id == 2]
    assert (told.data["author"], told.data["number"]) == ("human", 2)


async def test_a_cut_listener_and_a_reconnect_lose_and_double_nothing(
    page: WidgetPage, database_url: str
) -> None:
    database, shop = page.engine.database, page.shop
    session_id = await begin(database, shop, email=VERIFIED)
    token = page.token(session_id, VERIFIED)
    refs = [await ask(database, shop, session_id, f"q{turn}") for turn in range(3)]
    async with served(page.engine.app) as port:
        base = f"http://127.0.0.1:{port}"
        async with streaming(page, base, token) as stream:
            await stream.until(lambda it: it.numbers == [1, 2, 3] and bool(it.state))
            assert stream.state["verified_email"] == "c…@free.example"
            async with await psycopg.AsyncConnection.connect(as_owner(database_url)) as owner:
                await owner.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE application_name = 'widget sessions'"
                    " AND datname = current_database()"
                )
            await answer(database, shop, refs[0])  # the notification is lost
            await stream.until(lambda it: it.numbers == [1, 2, 3, 4])
        await answer(database, shop, refs[1])
        async with streaming(page, base, token, last_event_id="4") as stream:
            await stream.until(lambda it: it.numbers == [5])
            await answer(database, shop, refs[2])
            await stream.until(lambda it: it.numbers == [5, 6])


async def test_others_hear_nothing(page: WidgetPage) -> None:
    database, shop = page.engine.database, page.shop
    stranger = await page_of(page.engine, await open_shop(database))
    session_id, other = await begin(database, shop), await begin(database, shop)
    async with served(page.engine.app) as port:
        base = f"http://127.0.0.1:{port}"
        async with (
            streaming(page, base, page.token(session_id)) as mine,
            streaming(page, base, page.token(other)) as theirs,
            streaming(stranger, base, stranger.token(session_id)) as elsewhere,
            streaming(stranger, base, page.token(session_id)) as refused,
        ):
            assert refused.answer.status_code == 404
            await ask(database, shop, session_id, "secret")
            await mine.until(lambda it: it.texts == ["secret"])
            await ask(database, shop, other, "last")
            await theirs.until(lambda it: bool(it.texts))
            # Another client's session may have the same id.
            await begin(database, stranger.shop, session_id=session_id)
            await ask(database, stranger.shop, session_id, "own")
            await elsewhere.until(lambda it: bool(it.texts))

    assert (theirs.texts, elsewhere.texts) == (["last"], ["own"])


async def test_what_could_not_be_heard_is_read_with_the_next_sign_of_life(
    page: WidgetPage,
) -> None:
    hasty(page)
    session_id = await begin(page.engine.database, page.shop)
    async with (
        served(page.engine.app) as port,
        streaming(page, f"http://127.0.0.1:{port}", page.token(session_id)) as stream,
    ):
        await stream.until(lambda it: "" in [event.kind for event in it.seen])
        await ask(page.engine.database, page.shop, session_id)
        await stream.until(lambda it: it.numbers == [1])


async def test_a_stream_ends_with_its_key_its_origin_and_its_time(page: WidgetPage) -> None:
    database, shop = page.engine.database, page.shop
    token = page.token(await begin(database, shop))
    hasty(page)
    async with served(page.engine.app) as port:
        base = f"http://127.0.0.1:{port}"
        async with streaming(page, base, token) as stream:
            await stream.until(lambda it: bool(it.seen))
            async with database.tenant(shop.tenant) as connection:
                settings = SettingsRepository(connection, shop.tenant)
                await settings.rotate_widget_key("wk_" + new_ulid().lower() + "000000", utc_now())
            await stream.to_its_end()
        again = await page_of(page.engine, shop)
        async with streaming(again, base, token) as stream:
            await stream.until(lambda it: bool(it.seen))
            async with database.tenant(shop.tenant) as connection:
                nowhere = WidgetChange(allowed_origins=())
                await WidgetRepository(connection, shop.tenant).change(nowhere, utc_now())
            await stream.to_its_end()
        hasty(page, lasts_s=0)
        again = await page_of(page.engine, shop)
        async with streaming(again, base, token) as short:
            await short.to_its_end()
    assert [event.kind for event in short.seen] == ["state"]


async def test_a_session_and_an_address_have_so_many(page: WidgetPage) -> None:
    database, shop = page.engine.database, page.shop
    streams = page.engine.app.state.resources.widget_streams
    token = page.token(await begin(database, shop))
    async with served(page.engine.app) as port, asyncio.TaskGroup() as group:
        base, leave = f"http://127.0.0.1:{port}", asyncio.Event()

        async def hold(one: str, opened: "asyncio.Future[int]") -> None:
            async with streaming(page, base, one) as stream:
                opened.set_result(stream.answer.status_code)
                await leave.wait()

        async def another(one: str = "") -> int:
            opened: asyncio.Future[int] = asyncio.get_running_loop().create_future()
            group.create_task(hold(one or page.token(new_ulid()), opened))
            return await opened

        assert [await another(token) for _ in range(4)] == [200, 200, 200, 429]
        assert [await another() for _ in range(AN_ADDRESS - 3)] == [200] * (AN_ADDRESS - 3)
        assert await another() == 429
        assert streams.open == AN_ADDRESS
        leave.set()
    assert streams.open == 0


async def test_a_stream_outlives_a_database_that_is_away(page: WidgetPage) -> None:
    database, shop = page.engine.database, page.shop
    session_id = await begin(database, shop)
    hasty(page)
    resources = page.engine.app.state.resources
    async with (
        served(page.engine.app) as port,
        streaming(page, f"http://127.0.0.1:{port}", page.token(session_id)) as stream,
    ):
        await stream.until(lambda it: bool(it.seen))
        with database_away(resources.database) as refused:
            await eventually(lambda: refused(2))
        await ask(database, shop, session_id)
        await stream.until(lambda it: it.numbers == [1])


async def test_a_clients_waiting_requests_hold_up_no_stream(page: WidgetPage) -> None:
    """Earlier, a read occupied one of three slots while its client's requests waited for a lock."""
    database, shop = page.engine.database, page.shop
    api = page.engine.app.state.resources.database
    session = HeldSession(await begin(database, shop))
    feed = SessionFeed(
        SessionReader(api, shop.tenant, session, utc_now), WidgetStreams(), 0, _always
    )

    async def lock() -> None:
        async with api.tenant(shop.tenant) as connection:
            await AccountRepository(connection, shop.tenant).lock()

    async def they_wait() -> bool:
        return bool(api.use.in_use == of_a_client(WORK))

    async with database.tenant(shop.tenant) as connection:
        await AccountRepository(connection, shop.tenant).lock()
        crowd = [asyncio.ensure_future(lock()) for _ in range(2 * WORK)]
        await eventually(they_wait)
        pieces = feed.pieces(f"{shop.client_id}/{session.id}", "address", "network", pays=False)
        async with asyncio.timeout(1), aclosing(pieces):
            assert b"event: state" in await anext(pieces)
        assert not any(one.done() for one in crowd)
    await asyncio.gather(*crowd, return_exceptions=True)


async def test_a_stream_that_gave_way_ends(page: WidgetPage) -> None:
    database, shop = page.engine.database, page.shop
    session = HeldSession(await begin(database, shop))
    streams = WidgetStreams()
    reader = SessionReader(database, shop.tenant, session, utc_now)
    feed = SessionFeed(reader, streams, 0, _always)
    pieces = feed.pieces(f"{shop.client_id}/{session.id}", "address", "network", pays=False)
    with ExitStack() as held:
        async with asyncio.timeout(10), aclosing(pieces):
            await anext(pieces)
            own = [f"{shop.client_id}/{number}" for number in range(2)]
            for one in (*own, *(f"other-{number}/s" for number in range(ALL_FREE))):
                with suppress(ServerBusy):
                    held.enter_context(streams.place(one, one, one, pays=False))
            assert [piece async for piece in pieces] == []


async def _always() -> bool:
    return True

"""Facts about customers, and their stored predictions."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from adapters.system import new_ulid
from domain.analytics.churn import LOOKS_BACK, ChurnLevel, History, Prediction, predict, week_of
from store.analytics.churn import ChurnRepository
from store.analytics.tables import churn_predictions
from store.core.database import Database
from tests.support.analytics.days import past_event
from tests.support.core.rows import only_row, rows
from tests.support.tenants.shop import Shop, open_shop

AT = datetime(2026, 3, 2, 1, 10, tzinfo=UTC)
WEEK = week_of(AT)
ANN, BOB = "ann@a.example", "bob@b.example"
NOTHING = Prediction(score=0, level=ChurnLevel.LOW, factors=())


def ago(days: float) -> datetime:
    return AT - timedelta(days=days)


async def customers(database: Database, shop: Shop, after: str = "", limit: int = 10) -> list[str]:
    async with database.tenant(shop.tenant) as connection:
        return await ChurnRepository(connection, shop.tenant).customers(
            AT, after=after, limit=limit
        )


async def history(database: Database, shop: Shop, customer: str = ANN) -> History:
    async with database.tenant(shop.tenant) as connection:
        found = await ChurnRepository(connection, shop.tenant).histories([customer], AT)
    return found[customer]


async def keep(
    database: Database, shop: Shop, predictions: Mapping[str, Prediction], now: datetime = AT
) -> None:
    async with database.tenant(shop.tenant) as connection:
        await ChurnRepository(connection, shop.tenant).keep(
            predictions, WEEK, now=now, new_id=new_ulid
        )


def scored(score: float, level: ChurnLevel = ChurnLevel.LOW) -> Prediction:
    return Prediction(score=score, level=level, factors=())


async def test_customers_of_half_a_year_page_by_page(database: Database, shop: Shop) -> None:
    for customer, days in (("c@x", 1), ("a@x", 179), ("b@x", 30), ("b@x", 2), ("old@x", 181)):
        await past_event(database, shop, ago(days), customer=customer)
    await past_event(database, shop, ago(1), customer=None)
    await past_event(database, shop, ago(-1), customer="later@x")
    await past_event(database, await open_shop(database), ago(1), customer="other@x")

    assert await customers(database, shop) == ["a@x", "b@x", "c@x"]
    assert await customers(database, shop, limit=2) == ["a@x", "b@x"]
    assert await customers(database, shop, after="b@x") == ["c@x"]


async def test_a_history(database: Database, shop: Shop) -> None:
    await past_event(database, shop, ago(181), status="failed", customer=ANN)
    await past_event(database, shop, ago(100), status="failed", mood=0.5, customer=ANN)
    await past_event(database, shop, ago(100) + timedelta(minutes=1), mood=0.1, customer=ANN)
    await past_event(database, shop, ago(20), mood=-0.2, customer=ANN)
    await past_event(database, shop, ago(10), classification="complaint", customer=ANN)
    await past_event(database, shop, ago(9), classification=None, customer=ANN)
    await past_event(database, shop, ago(8), status=None, customer=ANN)
    await past_event(
        database, shop, ago(5), status="needs_review", reviews=["rejected"], mood=-0.8, customer=ANN
    )
    await past_event(database, shop, ago(-1), status="failed", customer=ANN)
    await past_event(database, shop, ago(1), status="failed", customer=BOB)

    assert await history(database, shop) == History(
        first_contact=ago(100),
        last_contact=ago(5),
        contact_days=6,
        mood_recent=-0.5,
        mood_before=0.3,
        mood_last=-0.8,
        same_matter=2,
        unresolved=2,
        last_unresolved=True,
    )


async def test_the_last_ticket_is_the_one_with_a_run(database: Database, shop: Shop) -> None:
    await past_event(database, shop, ago(3), status="failed", customer=ANN)
    await past_event(database, shop, ago(2), status=None, customer=ANN)
    assert (await history(database, shop)).last_unresolved
    await past_event(database, shop, ago(1), customer=ANN)

    found = await history(database, shop)

    assert (found.unresolved, found.last_unresolved) == (1, False)


async def test_no_history_without_a_message(database: Database, shop: Shop) -> None:
    await past_event(database, shop, AT - LOOKS_BACK - timedelta(seconds=1), customer=ANN)

    async with database.tenant(shop.tenant) as connection:
        assert await ChurnRepository(connection, shop.tenant).histories([ANN], AT) == {}


async def test_a_week_has_one_row_for_a_customer(database: Database, shop: Shop) -> None:
    await past_event(database, shop, ago(1), status="failed", customer=ANN)
    found = predict(await history(database, shop), AT)
    later = AT + timedelta(hours=1)
    await keep(database, shop, {ANN: found})
    first = await only_row(database, churn_predictions, of=shop)

    await keep(database, shop, {ANN: found}, later)
    assert await only_row(database, churn_predictions, of=shop) == first, (
        "the same is not written again"
    )
    await keep(database, shop, {ANN: scored(0.9, ChurnLevel.HIGH)}, later)

    second = await only_row(database, churn_predictions, of=shop)
    assert (second["id"], second["score"], second["created_at"]) == (first["id"], 0.9, later)
    assert first["factors"] == [factor.model_dump(mode="json") for factor in found.factors]


async def test_predictions_come_by_score_page_by_page(database: Database, shop: Shop) -> None:
    given = {
        "a@x": scored(0.9, ChurnLevel.HIGH), "b@x": scored(0.4, ChurnLevel.MEDIUM),
        "c@x": scored(0.4), "d@x": scored(0.0), "e@x": scored(0.7, ChurnLevel.HIGH),
    }  # fmt: skip
    await keep(database, shop, given)
    other = await open_shop(database)
    await keep(database, other, {"z@x": scored(1)})
    async with database.tenant(shop.tenant) as connection:
        repository = ChurnRepository(connection, shop.tenant)
        await repository.keep(
            {"a@x": scored(0.99)}, WEEK - timedelta(days=7), now=AT, new_id=new_ulid
        )
        everyone = await repository.latest(limit=10)
        paged, last = [], None
        while page := await repository.latest(limit=2, after=last):
            paged += page
            last = page[-1].id
        high = await repository.latest(limit=10, level=ChurnLevel.HIGH)
        (stranger,) = await rows(database, churn_predictions, client_id=other.client_id)
        nobody = await repository.latest(limit=10, after=str(stranger["id"]))

    assert [one.customer_email for one in everyone[:2]] == ["a@x", "e@x"]
    assert [one.score for one in everyone] == [0.9, 0.7, 0.4, 0.4, 0.0]
    assert {one.week for one in everyone} == {WEEK}
    assert paged == everyone
    assert [one.customer_email for one in high] == ["a@x", "e@x"]
    assert nobody == []

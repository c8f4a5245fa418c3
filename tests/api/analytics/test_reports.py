"""GET /api/dashboard/metrics and /churn: the results."""

from datetime import date, timedelta
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.analytics.churn import ChurnLevel, ChurnPrediction, Prediction, week_of
from domain.analytics.metrics import DayMetrics, day_before, days_of
from domain.tenants.client import Role
from store.analytics.churn import ChurnRepository
from store.analytics.day_counts import count_day
from store.analytics.metrics import keep_day
from store.tenants.tables import clients
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import owned
from tests.support.reviews.dashboard import person
from tests.support.tenants.shop import Shop, open_shop

METRICS = "/api/dashboard/metrics"
CHURN = "/api/dashboard/churn"


async def ask(front: LiveEngine, shop: Shop, path: str, /, **params: object) -> httpx.Response:
    """Send the request as the shop's owner."""
    headers = await person(front, shop, Role.OWNER)
    asked = {name.strip("_"): str(value) for name, value in params.items()}
    return await front.http.get(path, params=asked, headers=headers)


async def days(front: LiveEngine, shop: Shop, first: date, last: date) -> None:
    async with front.database.service() as connection:
        await connection.execute(
            sa.update(clients)
            .where(clients.c.id == shop.client_id)
            .values(created_at=sa.text("'-infinity'"))
        )
        for day in days_of(first, last):
            found = await count_day(connection, [shop.client_id], day, utc_now())
            await keep_day(connection, found, day, utc_now())
        await connection.execute(
            sa.update(clients).where(owned(clients, shop)).values(created_at=utc_now())
        )


async def predicted(front: LiveEngine, shop: Shop, **scores: float) -> None:
    given = {
        name: Prediction(
            score=score, level=ChurnLevel.HIGH if score > 0.6 else ChurnLevel.LOW, factors=()
        )
        for name, score in scores.items()
    }
    now = utc_now()
    async with front.database.tenant(shop.tenant) as connection:
        await ChurnRepository(connection, shop.tenant).keep(
            given, week_of(now), now=now, new_id=new_ulid
        )


async def test_days(front: LiveEngine, shop: Shop) -> None:
    yesterday = day_before(utc_now())
    await days(front, shop, yesterday - timedelta(days=30), yesterday)

    async def told(**params: object) -> list[dict[str, Any]]:
        answer = await ask(front, shop, METRICS, **params)
        assert answer.status_code == 200, answer.text
        assert answer.headers["cache-control"] == "no-store"
        found: list[dict[str, Any]] = answer.json()["days"]
        return found

    usual = await told()
    assert [day["day"] for day in usual] == [
        day.isoformat() for day in days_of(yesterday - timedelta(days=29), yesterday)
    ]
    assert set(usual[0]) == set(DayMetrics.model_fields)
    assert (usual[0]["runs"], usual[0]["resolution_rate"]) == (0, None)
    week = yesterday - timedelta(days=6)
    assert len(await told(from_=week, to=yesterday)) == 7
    assert await told(from_=week) == await told(from_=week, to=yesterday)
    assert len(await told(from_=week, to=week)) == 1
    assert await told(to="2020-02-29") == await told(to="0001-01-05") == []


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"from": "yesterday"}, "from"),
        ({"from": "2026-02-30"}, "from"),
        ({"to": "2026-13-01"}, "to"),
        ({"from": "2026-01-02", "to": "2026-01-01"}, "from"),
        ({"from": "2025-01-01", "to": "2026-01-02"}, "from"),
        # Values that look like a date, but are not in the documented format.
        ({"to": "0"}, "to"),
        ({"to": "20260102"}, "to"),
        ({"to": "2026-01-02T00:00:00"}, "to"),
        ({"from": "\u0662026-01-02"}, "from"),
        ({"from": "9999-12-31"}, "from"),
        ({"day": "2026-01-02"}, "inconnu"),
    ],
)
async def test_days_that_cannot_be_meant(
    front: LiveEngine, shop: Shop, params: dict[str, str], reason: str
) -> None:
    headers = await person(front, shop, Role.OWNER)

    answer = await front.http.get(METRICS, params=params, headers=headers)

    assert answer.status_code == 400, answer.text
    assert answer.json()["code"] == "invalid_query"
    assert answer.json()["error"] == f"Paramètre invalide : {reason}"


async def test_a_year_is_not_too_much(front: LiveEngine, shop: Shop) -> None:
    answer = await ask(front, shop, METRICS, from_="2024-01-01", to="2024-12-31")

    assert answer.status_code == 200


async def test_churn_page_by_page(front: LiveEngine, shop: Shop) -> None:
    await predicted(front, shop, a=0.9, b=0.1, c=0.7)
    await predicted(front, await open_shop(front.database), z=1.0)

    first = (await ask(front, shop, CHURN, limit=2)).json()
    second = (await ask(front, shop, CHURN, limit=2, cursor=first["next_cursor"])).json()
    high = (await ask(front, shop, CHURN, level="high")).json()

    assert [one["customer_email"] for one in first["predictions"]] == ["a", "c"]
    assert set(first["predictions"][0]) == set(ChurnPrediction.model_fields)
    assert [one["customer_email"] for one in second["predictions"]] == ["b"]
    assert second["next_cursor"] is None
    assert [one["score"] for one in high["predictions"]] == [0.9, 0.7]


async def test_a_client_of_whom_nothing_was_reckoned(front: LiveEngine, shop: Shop) -> None:
    assert (await ask(front, shop, METRICS)).json() == {"days": []}
    assert (await ask(front, shop, CHURN)).json() == {"predictions": [], "next_cursor": None}

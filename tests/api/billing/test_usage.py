"""GET /api/billing/usage: every field, every refusal, and the borders of months and trials."""

import asyncio
import dataclasses
from datetime import UTC, datetime, timedelta

import httpx
import pytest
import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from api.resources import Resources
from domain.core.ids import TenantId
from domain.intake.rate_limit import LimitScope, limits
from domain.tenants.actor import Actor
from domain.tenants.client import Plan
from store.billing.tables import usage_counters
from store.intake.rate_windows import RateWindowRepository
from store.tenants.accounts import AccountRepository
from store.tenants.keys import KeyRepository
from store.tenants.tables import clients
from tests.support.core.engine import ENGINE_SECRET, LiveEngine, database_away, live_engine
from tests.support.core.rows import owned, row_counts
from tests.support.core.temporal import TemporalServer
from tests.support.core.waiting import eventually
from tests.support.tenants.shop import Shop, open_shop

USAGE = "/api/billing/usage"
NOW = datetime(2026, 11, 21, 12, 30, tzinfo=UTC)


async def ask(front: LiveEngine, shop: Shop, client_id: str | None = None) -> httpx.Response:
    return await front.http.get(
        USAGE, params={"client_id": client_id or shop.client_id}, headers=shop.headers
    )


async def told(front: LiveEngine, shop: Shop) -> dict[str, object]:
    answer = await ask(front, shop)
    assert answer.status_code == 200, answer.text
    body: dict[str, object] = answer.json()
    return body


def set_clock(front: LiveEngine, now: datetime) -> None:
    resources = front.app.state.resources
    front.app.state.resources = dataclasses.replace(resources, now=lambda: now)


async def use(front: LiveEngine, shop: Shop, **tickets_by_month: int) -> None:
    """`m2026_11=3`: three tickets in November."""
    async with front.database.service() as connection:
        for name, tickets in tickets_by_month.items():
            await connection.execute(
                sa.insert(usage_counters).values(
                    client_id=shop.client_id,
                    period=name.removeprefix("m").replace("_", "-"),
                    tickets_used=tickets,
                )
            )


async def change_client(front: LiveEngine, shop: Shop, **values: object) -> None:
    async with front.database.service() as connection:
        await connection.execute(sa.update(clients).where(owned(clients, shop)).values(**values))


# --- What it says -------------------------------------------------------------------------------


async def test_every_field(front: LiveEngine, shop: Shop) -> None:
    set_clock(front, NOW)
    await use(front, shop, m2026_11=42)
    async with front.database.service() as connection:
        await AccountRepository(connection, shop.tenant).add_credits(
            7, entry_id=new_ulid(), reason="bought", now=NOW
        )
    other = await open_shop(front.database)
    await use(front, other, m2026_11=999)

    answer = await ask(front, shop)

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()
    assert body == {
        "plan": "pro",
        "period": "2026-11",
        "tickets_used": 42,
        "tickets_limit": 5000,
        "voice_minutes_used": 0,
        "voice_minutes_limit": 0,
        "overage_tickets": 0,
        "overage_cost": 0,
        "quota_reached": False,
        "credits_balance": 7,
        "trial_ends_at": None,
        "next_billing_date": "2026-12-01",
    }
    assert {name: type(value) for name, value in body.items()} == {
        "plan": str,
        "period": str,
        "tickets_used": int,
        "tickets_limit": int,
        "voice_minutes_used": int,
        "voice_minutes_limit": int,
        "overage_tickets": int,
        "overage_cost": int,
        "quota_reached": bool,
        "credits_balance": int,
        "trial_ends_at": type(None),
        "next_billing_date": str,
    }


@pytest.mark.parametrize(
    ("plan", "limit"),
    [(Plan.FREE, 50), (Plan.STARTER, 1000), (Plan.PRO, 5000), (Plan.ENTERPRISE, -1)],
)
async def test_limit_and_its_reaching(
    front: LiveEngine, shop: Shop, plan: Plan, limit: int
) -> None:
    set_clock(front, NOW)
    await change_client(front, shop, plan=plan)
    await use(front, shop, m2026_11=max(limit - 1, 0))

    below = await told(front, shop)
    async with front.database.service() as connection:
        await connection.execute(
            sa.update(usage_counters)
            .where(usage_counters.c.client_id == shop.client_id)
            .values(tickets_used=usage_counters.c.tickets_used + 1)
        )
    at_limit = await told(front, shop)

    assert (below["plan"], below["tickets_limit"], below["quota_reached"]) == (plan, limit, False)
    assert at_limit["quota_reached"] is (plan != Plan.ENTERPRISE)


@pytest.mark.parametrize(
    ("now", "period", "used", "next_billing"),
    [
        ("2026-11-30T23:59:59.999999+00:00", "2026-11", 11, "2026-12-01"),
        ("2026-12-01T00:00:00+00:00", "2026-12", 12, "2027-01-01"),
        ("2026-12-31T23:59:59+00:00", "2026-12", 12, "2027-01-01"),
        ("2027-01-01T00:00:00+00:00", "2027-01", 0, "2027-02-01"),
        ("2028-02-29T08:00:00+00:00", "2028-02", 0, "2028-03-01"),
        # Already December here, still November in UTC.
        ("2026-12-01T00:30:00+01:00", "2026-11", 11, "2026-12-01"),
    ],
)
async def test_counters_are_strictly_of_this_month(
    front: LiveEngine, shop: Shop, now: str, period: str, used: int, next_billing: str
) -> None:
    await use(front, shop, m2025_11=5, m2025_12=5, m2026_10=10, m2026_11=11, m2026_12=12)
    set_clock(front, datetime.fromisoformat(now))

    body = await told(front, shop)

    assert (body["period"], body["tickets_used"]) == (period, used)
    assert body["next_billing_date"] == next_billing


async def test_clock_is_read_once(front: LiveEngine, shop: Shop) -> None:
    """Asked while the year turns: period and next_billing_date are of the same month."""
    turn = datetime(2027, 1, 1, tzinfo=UTC)
    readings = iter([turn - timedelta(microseconds=1), turn, turn, turn])
    resources = front.app.state.resources
    front.app.state.resources = dataclasses.replace(resources, now=lambda: next(readings))

    body = await told(front, shop)

    assert (body["period"], body["next_billing_date"]) == ("2026-12", "2027-01-01")


async def test_trial_has_the_quota_of_pro_until_it_ends(front: LiveEngine, shop: Shop) -> None:
    ends = NOW + timedelta(days=3)
    await change_client(front, shop, plan=Plan.FREE, trial_ends_at=ends)

    set_clock(front, ends - timedelta(seconds=1))
    during = await told(front, shop)
    set_clock(front, ends)
    after = await told(front, shop)

    assert (during["plan"], during["tickets_limit"]) == ("pro", 5000)
    assert during["trial_ends_at"] == "2026-11-24T12:30:00+00:00"
    assert (after["plan"], after["tickets_limit"], after["trial_ends_at"]) == ("free", 50, None)


async def test_downgrade_shows_when_it_is_in_force(front: LiveEngine, shop: Shop) -> None:
    begins = datetime(2026, 12, 1, tzinfo=UTC)
    await change_client(front, shop, next_plan=Plan.STARTER, next_plan_from=begins)

    set_clock(front, begins - timedelta(seconds=1))
    assert (await told(front, shop))["plan"] == "pro"
    set_clock(front, begins)
    assert (await told(front, shop))["tickets_limit"] == 1000


async def test_lower_case_client_id(front: LiveEngine, shop: Shop) -> None:
    assert (await ask(front, shop, shop.client_id.lower())).status_code == 200


async def test_asking_changes_nothing(front: LiveEngine, shop: Shop) -> None:
    before = await row_counts(front.database)

    await told(front, shop)

    assert await row_counts(front.database) == before


# --- What it refuses ----------------------------------------------------------------------------


def assert_refused(answer: httpx.Response, status: int, text: str, code: str) -> None:
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == {
        "error": text,
        "code": code,
        "request_id": answer.headers["x-request-id"],
    }


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer ak_" + "0" * 32},
        {"authorization": "Bearer ak_short"},
        {"authorization": "Basic YWs6"},
        {"x-engine-secret": ENGINE_SECRET},
        {"x-internal-secret": ENGINE_SECRET},
        {"authorization": f"Bearer {ENGINE_SECRET}"},
    ],
)
async def test_unknown_caller(front: LiveEngine, shop: Shop, headers: dict[str, str]) -> None:
    for params in ({}, {"client_id": shop.client_id}):
        answer = await front.http.get(USAGE, params=params, headers=headers)
        assert_refused(answer, 401, "Non autorise.", "unauthenticated")
        assert answer.headers["www-authenticate"] == "Bearer"


async def test_key_in_the_query_is_no_key(front: LiveEngine, shop: Shop) -> None:
    params = {"client_id": shop.client_id, "api_key": shop.key}

    assert (await front.http.get(USAGE, params=params)).status_code == 401


async def test_revoked_key_stops_at_once(front: LiveEngine, shop: Shop) -> None:
    assert (await ask(front, shop)).status_code == 200
    async with front.database.service() as connection:
        await KeyRepository(connection).revoke(shop.key_id, utc_now())

    assert (await ask(front, shop)).status_code == 401


@pytest.mark.parametrize("query", ["", "?client_id", "?client_id=", "?client_id=%20", "?id=x"])
async def test_client_id_missing(front: LiveEngine, shop: Shop, query: str) -> None:
    answer = await front.http.get(f"{USAGE}{query}", headers=shop.headers)

    assert_refused(answer, 400, "Missing client_id", "client_id_missing")


async def test_client_id_twice(front: LiveEngine, shop: Shop) -> None:
    params = {"client_id": [shop.client_id, shop.client_id]}

    answer = await front.http.get(USAGE, params=params, headers=shop.headers)

    assert_refused(answer, 400, "client_id donné plusieurs fois", "client_id_repeated")


@pytest.mark.parametrize("wrap", [" {}", "{} ", "{}\n", "{}\0", "{},{}", "{}\ud7ff"])
async def test_client_id_with_something_around(front: LiveEngine, shop: Shop, wrap: str) -> None:
    answer = await ask(front, shop, wrap.replace("{}", shop.client_id))

    assert_refused(answer, 403, "Acces refuse.", "access_denied")


async def test_another_client_looks_like_none(front: LiveEngine, shop: Shop) -> None:
    other = await open_shop(front.database)
    for client_id in (other.client_id, new_ulid(), "not-a-ulid", "%FF"):
        answer = await ask(front, shop, client_id)
        assert_refused(answer, 403, "Acces refuse.", "access_denied")


async def test_unknown_client_for_a_caller_of_all_clients(
    front: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def allow(_caller: object, wanted: str, _resources: Resources) -> tuple[TenantId, Actor]:
        return TenantId(wanted), Actor.system("test")

    monkeypatch.setattr("api.access.authorize", allow)

    answer = await ask(front, shop, new_ulid())

    assert_refused(answer, 404, "Client introuvable.", "client_not_found")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"])
async def test_other_methods(front: LiveEngine, shop: Shop, method: str) -> None:
    answer = await front.http.request(
        method, f"{USAGE}?client_id={shop.client_id}", headers=shop.headers
    )

    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET"
    if method != "HEAD":
        assert answer.json()["error"] == "Méthode non autorisée"


async def test_no_other_spelling_of_the_path(front: LiveEngine, shop: Shop) -> None:
    for path in (f"{USAGE}/", "/api/billing/Usage", "/api/billing"):
        answer = await front.http.get(path, headers=shop.headers)
        assert_refused(answer, 404, "Route introuvable", "route_not_found")


async def test_database_away(front: LiveEngine, shop: Shop) -> None:
    with database_away(front.app.state.resources.database):
        answer = await ask(front, shop)

    assert_refused(answer, 500, "Erreur interne.", "engine_unavailable")


# --- Its limit ----------------------------------------------------------------------------------


async def test_sixty_a_minute(front: LiveEngine, shop: Shop) -> None:
    other = await open_shop(front.database)
    set_clock(front, NOW)
    first = await ask(front, shop)
    set_clock(front, NOW + timedelta(seconds=20.5))
    others = [await front.http.get(USAGE, headers=shop.headers) for _ in range(59)]

    refused = await ask(front, shop)

    assert first.headers["ratelimit-policy"] == '"usage";q=60;w=60'
    assert first.headers["ratelimit"] == '"usage";r=59;t=60'
    # What is answered with an error has been counted too, and says so.
    assert {answer.status_code for answer in others} == {400}
    assert others[-1].headers["ratelimit"] == '"usage";r=0;t=40'
    assert_refused(refused, 429, "Trop de requêtes : 60 par 60 s au plus.", "too_many_requests")
    assert refused.headers["retry-after"] == "40"
    assert refused.headers["ratelimit"] == '"usage";r=0;t=40'
    assert refused.headers["ratelimit-policy"] == '"usage";q=60;w=60'
    assert (await ask(front, other)).status_code == 200
    set_clock(front, NOW + timedelta(seconds=60))
    assert (await ask(front, shop)).status_code == 200


async def test_two_processes_share_the_limit(
    front: LiveEngine, shop: Shop, temporal: TemporalServer
) -> None:
    async with (
        live_engine(
            front.settings.database.url, temporal.address, "default", rate_limits="postgres"
        ) as one,
        live_engine(
            front.settings.database.url, temporal.address, "default", rate_limits="postgres"
        ) as two,
    ):
        for process in (one, two):
            set_clock(process, NOW)
        answers = [await ask((one, two)[n % 2], shop) for n in range(61)]

    assert [answer.status_code for answer in answers] == [200] * 60 + [429]
    assert answers[-1].headers["retry-after"] == "60"


async def test_flood_of_one_client_does_not_stop_another(
    front: LiveEngine, shop: Shop, temporal: TemporalServer
) -> None:
    """Another process holds the window of one key: its requests wait, without a connection."""
    other = await open_shop(front.database)
    async with live_engine(
        front.settings.database.url, temporal.address, "default", rate_limits="postgres"
    ) as flooded:
        async with front.database.service() as connection:
            limit = limits(dry_runs=1)[LimitScope.USAGE]
            await RateWindowRepository(connection).hit(limit, f"key:{shop.key_id}", NOW)
            flood = [asyncio.create_task(ask(flooded, shop)) for _ in range(40)]
            pool = flooded.app.state.resources.database.engine.pool
            await eventually(lambda: _holds_a_connection(pool))

            async with asyncio.timeout(1.5):
                answers = [await ask(flooded, other) for _ in range(5)]
        await asyncio.gather(*flood)

    assert {answer.status_code for answer in answers} == {200}


async def _holds_a_connection(pool: sa.Pool) -> bool:
    return isinstance(pool, sa.AsyncAdaptedQueuePool) and pool.checkedout() > 0


async def test_unknown_callers_are_not_counted(front: LiveEngine) -> None:
    answer = await front.http.get(USAGE)

    assert "ratelimit" not in answer.headers


async def test_gateway_shows_no_limits(front: LiveEngine, shop: Shop) -> None:
    answer = await front.post(shop, event_type=5)

    assert answer.status_code == 400
    assert not [name for name in answer.headers if "ratelimit" in name]


# --- Its description ----------------------------------------------------------------------------


async def test_described_with_all_its_answers(front: LiveEngine) -> None:
    document = (await front.http.get("/openapi.json")).json()
    described = document["paths"][USAGE]["get"]

    assert set(described["responses"]) == {
        "200", "400", "401", "403", "404", "405", "429", "431", "500", "503"
    }  # fmt: skip
    assert [parameter["name"] for parameter in described["parameters"]] == ["client_id"]
    record = document["components"]["schemas"]["UsageRecord"]
    assert len(record["required"]) == len(record["properties"]) == 12

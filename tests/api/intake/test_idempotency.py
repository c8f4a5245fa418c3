"""The Idempotency-Key: a repeated request creates one event."""

import asyncio
from datetime import timedelta

import httpx
import pytest
import sqlalchemy as sa

from adapters.system import utc_now
from store.intake.tables import engine_events, idempotency_keys
from store.runs.tables import engine_runs
from tests.support.core.engine import GATEWAY, LiveEngine
from tests.support.core.rows import rows
from tests.support.tenants.shop import ORDER_QUESTION, Shop, open_shop


async def test_same_key_and_body_give_the_same_answer(engine: LiveEngine, shop: Shop) -> None:
    first, second = [await _post(engine, shop, "k1", ORDER_QUESTION) for _ in range(2)]

    assert first.status_code == second.status_code == 200
    assert first.json() == second.json()
    assert len(await rows(engine.database, engine_runs, of=shop)) == 1


async def test_other_body_is_refused(engine: LiveEngine, shop: Shop) -> None:
    await _post(engine, shop, "k1", ORDER_QUESTION)

    answer = await _post(engine, shop, "k1", "another")

    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")
    assert len(await rows(engine.database, engine_events, of=shop)) == 1


async def test_twenty_at_once_are_one_event(engine: LiveEngine, shop: Shop) -> None:
    answers = await asyncio.gather(*(_post(engine, shop, "k1", ORDER_QUESTION) for _ in range(20)))

    assert {answer.status_code for answer in answers} <= {200, 409}
    assert len({a.json()["event_id"] for a in answers if a.status_code == 200}) == 1
    assert len(await rows(engine.database, engine_runs, of=shop)) == 1


async def test_key_belongs_to_one_client(engine: LiveEngine, shop: Shop) -> None:
    other = await open_shop(engine.database)
    first = await _post(engine, shop, "k1", ORDER_QUESTION)

    second = await _post(engine, other, "k1", ORDER_QUESTION)

    assert second.status_code == 200
    assert first.json()["event_id"] != second.json()["event_id"]


async def test_key_lapses_after_a_day(engine: LiveEngine, shop: Shop) -> None:
    first = await _post(engine, shop, "k1", ORDER_QUESTION)
    async with engine.database.service() as connection:
        await connection.execute(
            sa.update(idempotency_keys)
            .where(idempotency_keys.c.client_id == shop.client_id)
            .values(created_at=utc_now() - timedelta(hours=24, minutes=1))
        )

    second = await _post(engine, shop, "k1", "another body")

    assert second.status_code == 200
    assert first.json()["event_id"] != second.json()["event_id"]


async def test_no_playbook_is_repeated_too(engine: LiveEngine) -> None:
    shop = await open_shop(engine.database, event_type="email.*")
    first, second = [await _post(engine, shop, "k1", "x") for _ in range(2)]

    assert first.json() == second.json()
    assert len(await rows(engine.database, engine_events, of=shop)) == 1


@pytest.mark.parametrize("key", ["", "x" * 256, "a\tb"])
async def test_unusable_key(front: LiveEngine, shop: Shop, key: str) -> None:
    answer = await _post(front, shop, key, "x")

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_idempotency_key")


async def _post(engine: LiveEngine, shop: Shop, key: str, message: str) -> httpx.Response:
    return await engine.http.post(
        GATEWAY,
        json={"client_id": shop.client_id, "message": message},
        headers={**shop.headers, "idempotency-key": key},
    )

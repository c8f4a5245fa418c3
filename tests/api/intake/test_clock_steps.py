"""A clock that NTP sets back by five minutes: limits still hold, and no duration is negative."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from adapters.system import utc_now
from domain.intake.errors import CustomerRateLimited
from domain.intake.gateway_limits import PER_CUSTOMER
from store.core.database import Database
from store.runs.tables import engine_messages, engine_runs
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.intake.admission import try_to_admit
from tests.support.tenants.shop import ORDER_QUESTION, Shop

NOON = datetime(2026, 11, 3, 12, tzinfo=UTC)
STEP = timedelta(minutes=5)
SECOND = timedelta(seconds=1)


async def _send(database: Database, shop: Shop, at: datetime, times: int = 1) -> None:
    for _ in range(times):
        await try_to_admit(database, shop, customer_email="a@b.example", now=at)


async def test_a_step_back_gives_no_message_more(database: Database, shop: Shop) -> None:
    """A full window stays full, even if its messages are in the clock's future."""
    await _send(database, shop, NOON, PER_CUSTOMER.messages)

    with pytest.raises(CustomerRateLimited) as refused:
        await _send(database, shop, NOON - STEP)

    wait_s = refused.value.retry_after_s
    assert wait_s == (PER_CUSTOMER.window + STEP).total_seconds()
    await _send(database, shop, NOON - STEP + timedelta(seconds=wait_s))


async def test_a_clock_that_is_set_right_again_opens_a_window_early_by_the_step_at_most(
    database: Database, shop: Shop
) -> None:
    """Messages received while the clock was behind seem older by that difference at most."""
    await _send(database, shop, NOON, PER_CUSTOMER.messages - 3)
    await _send(database, shop, NOON - STEP, 3)
    with pytest.raises(CustomerRateLimited):
        await _send(database, shop, NOON - STEP + SECOND)

    # After the correction: the three arrived at noon, and seem to have arrived five minutes
    # earlier.
    real = NOON + PER_CUSTOMER.window - STEP
    with pytest.raises(CustomerRateLimited):
        await _send(database, shop, real - SECOND)
    await _send(database, shop, real, 3)
    with pytest.raises(CustomerRateLimited):
        await _send(database, shop, real)

    sent = await rows(database, engine_messages, of=shop)
    assert len(sent) == PER_CUSTOMER.messages + 3


async def test_no_time_of_a_run_is_negative(engine: LiveEngine, shop: Shop) -> None:
    """The event arrived when the clock was ahead; the worker's clock has been set back since."""
    resources = engine.app.state.resources
    engine.app.state.resources = replace(resources, now=lambda: utc_now() + STEP)

    answer = await engine.post(shop, message=ORDER_QUESTION)

    assert (answer.status_code, answer.json()["duration_ms"]) == (200, 0)
    run = await only_row(engine.database, engine_runs, of=shop)
    assert run["duration_ms"] == 0
    assert run["timings"]
    assert min(run["timings"].values()) >= 0

"""The workflow that fits clients' own heads, started by its schedule."""

from datetime import UTC, datetime

from adapters.temporal.setup import ensure_learn_heads_schedule
from domain.core.names import LEARN_HEADS_SCHEDULE
from tests.replay.scenarios import Scenario
from tests.support.core.engine import LiveEngine
from tests.support.core.schedules import fire
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import Shop


async def learn_heads(engine: LiveEngine, _: Shop, __: MailServer) -> str:
    await ensure_learn_heads_schedule(engine.client)
    night = datetime(2026, 11, 27, 3, 10, tzinfo=UTC)
    return await fire(engine.client, LEARN_HEADS_SCHEDULE, night)


LEARNING_SCENARIOS: dict[str, Scenario] = {"learn_heads": learn_heads}

"""Having deliveries sent that a command wrote."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from adapters.temporal.client import TemporalEngine, connect
from commands.core.context import environment_of
from domain.core.errors import EngineUnavailable


async def have_sent(data: Path, client_id: str, delivery_ids: Sequence[str]) -> None:
    """Start sending what was committed, by the Temporal of TEMPORAL_ADDRESS or of the stack that
    runs on `data`. Where there is none, or it does not answer, the sweeper sends it later."""
    env = environment_of(data)
    address = env.get("TEMPORAL_ADDRESS")
    if not address or not delivery_ids:
        return
    client = await connect(address, env.get("TEMPORAL_NAMESPACE") or "default", lazy=True)
    with suppress(EngineUnavailable):
        await TemporalEngine(client).send_webhooks(client_id, delivery_ids)

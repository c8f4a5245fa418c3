"""`cli.py` that ends itself with SIGKILL after deliveries are committed, before they are sent."""

import os
import signal
from collections.abc import Sequence

import cli
from adapters.temporal.client import TemporalEngine


async def _die(self: TemporalEngine, client_id: str, delivery_ids: Sequence[str]) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    TemporalEngine.send_webhooks = _die  # type: ignore[method-assign]
    cli.main()

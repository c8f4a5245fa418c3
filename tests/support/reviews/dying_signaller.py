"""`cli.py` that ends itself with SIGKILL after a decision is committed, before its run is
signalled."""

import os
import signal

import cli
from adapters.temporal.client import TemporalEngine
from domain.core.contracts import RunRef


async def _die(self: TemporalEngine, ref: RunRef, escalation_id: str) -> bool:
    os.kill(os.getpid(), signal.SIGKILL)
    return False


if __name__ == "__main__":
    TemporalEngine.wake = _die  # type: ignore[method-assign]
    cli.main()

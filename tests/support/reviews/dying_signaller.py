"""`cli.py` that ends itself with SIGKILL when a decision is committed and its run is to be told."""

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

"""`worker.py` of a later build, whose event workflow has changed."""

import worker
from tests.support.runs.changed_process_event import ChangedProcessEvent
from workers import engine as engine_worker
from workflows.process_event import ProcessEvent

if __name__ == "__main__":
    changed = [
        ChangedProcessEvent if known is ProcessEvent else known for known in engine_worker.WORKFLOWS
    ]
    object.__setattr__(engine_worker, "WORKFLOWS", changed)
    worker.main()

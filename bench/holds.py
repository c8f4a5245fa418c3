"""Event loop blocks of 50 ms or more, as counted by each process of the service."""

import asyncio
import socket
import urllib.request
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Final

from prometheus_client.parser import text_string_to_metric_families
from pydantic import BaseModel, ConfigDict

from embedded.ports import free_port

_METRIC: Final = "engine_event_loop_hold_seconds"
_LONG_S: Final = 0.25
_TIMEOUT_S: Final = 5.0
PROCESSES: Final = ("api", "worker", "webhook-worker")
"""The processes, in the order of their metrics ports."""


class Holds(BaseModel):
    """Numbers of event loop blocks. `own` counts blocks caused by the loop's work, and `long`
    counts blocks of 250 ms or more. In `other`, the thread got no CPU time or was blocked in a
    call."""

    model_config = ConfigDict(frozen=True)

    own: int = 0
    long: int = 0
    other: int = 0

    def since(self, before: "Holds") -> "Holds":
        return Holds(
            own=self.own - before.own,
            long=self.long - before.long,
            other=self.other - before.other,
        )

    def plus(self, more: "Holds") -> "Holds":
        return Holds(
            own=self.own + more.own, long=self.long + more.long, other=self.other + more.other
        )


def metrics_port() -> int:
    """Return the first of three consecutive free ports: one for the API, one for each worker."""
    while True:
        first = free_port()
        try:
            with ExitStack() as held:
                for number in range(len(PROCESSES)):
                    one = held.enter_context(socket.socket())
                    one.bind(("127.0.0.1", first + number))
        except (OSError, OverflowError):
            continue
        return first


async def read_holds(first_port: int) -> dict[str, Holds]:
    """Return the numbers of event loop blocks up to now, by process. Raises OSError if a process
    does not serve its metrics."""
    shown = await asyncio.gather(
        *(asyncio.to_thread(_read, first_port + number) for number in range(len(PROCESSES)))
    )
    return dict(zip(PROCESSES, map(_holds_in, shown), strict=True))


def holds_between(before: Mapping[str, Holds], after: Mapping[str, Holds]) -> dict[str, Holds]:
    return {name: holds.since(before[name]) for name, holds in after.items()}


def _read(port: int) -> str:
    url = f"http://127.0.0.1:{port}/metrics"
    with urllib.request.urlopen(url, timeout=_TIMEOUT_S) as answer:
        return str(answer.read(), "utf-8")


def _holds_in(text: str) -> Holds:
    counts: dict[str, int] = {}
    long = 0
    for family in text_string_to_metric_families(text):
        for sample in family.samples if family.name == _METRIC else ():
            cause = sample.labels.get("cause", "")
            if sample.name.endswith("_count"):
                counts[cause] = int(sample.value)
                long += int(sample.value) if cause == "own" else 0
            elif cause == "own" and sample.labels.get("le") == str(_LONG_S):
                long -= int(sample.value)
    return Holds(own=counts.get("own", 0), long=long, other=counts.get("other", 0))

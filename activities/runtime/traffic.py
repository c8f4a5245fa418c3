"""Measure a worker's foreground traffic. The time since the last foreground work determines how
much time background work may use."""

from collections.abc import Callable
from typing import Final

from temporalio import activity
from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from domain.core import names

BACKGROUND: Final = frozenset(
    {
        *(names.BEGIN_CASE_RUN, names.TRY_CASE, names.END_CASE_RUN),
        *(names.BEGIN_REPLAY, names.REPLAY_PAGE, names.END_REPLAY),
        *(names.OPEN_SITE, names.READ_SITE, names.END_SITE),
        names.THINK_SCENARIO,
    }
)
"""Background activities. They are excluded from traffic because no customer waits for them."""

# For this many seconds after a foreground activity, the worker is treated as busy, because more
# work may follow.
_LASTS_S: Final = 3.0
_SHARE_BESIDE: Final = 0.08
_LONGEST_PAUSE_S: Final = 2.0


class Traffic:
    """A worker's foreground traffic. Without foreground traffic, the worker is idle. `monotonic` is
    a clock in seconds."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._seen: float | None = None

    def note(self) -> None:
        """Record that foreground work is in progress now."""
        self._seen = self._monotonic()

    @property
    def is_quiet(self) -> bool:
        return self._seen is None or self._monotonic() - self._seen > _LASTS_S

    def pause_after(self, worked_s: float) -> float:
        """Return the pause in seconds after `worked_s` seconds of background work: 0 on an idle
        worker, and most of the time on a busy one."""
        if self.is_quiet:
            return 0
        return min(_LONGEST_PAUSE_S, worked_s * (1 / _SHARE_BESIDE - 1))


class NoteTraffic(Interceptor):
    """An interceptor that records the start and the end of each foreground activity in
    `traffic`."""

    def __init__(self, traffic: Traffic) -> None:
        self._traffic = traffic

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:  # noqa: A002 - SDK's name
        noting = _Noting(next)
        noting.traffic = self._traffic
        return noting


class _Noting(ActivityInboundInterceptor):
    traffic: Traffic

    async def execute_activity(self, input: ExecuteActivityInput) -> object:  # noqa: A002 - SDK's name
        if activity.info().activity_type in BACKGROUND:
            return await super().execute_activity(input)
        self.traffic.note()
        try:
            return await super().execute_activity(input)
        finally:
            self.traffic.note()

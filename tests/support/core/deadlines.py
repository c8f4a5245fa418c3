"""Each test's deadline, as pytest-timeout counts it; a plugin that `pyproject.toml` names.

The signal, not the thread: a thread can only end the whole process, and then PostgreSQL is left
behind. The signal raises where the test waits, so that fixtures end what they started.
"""

import signal
from types import FrameType

import pytest
from pytest_timeout import Settings, timeout_sigalrm

# What is slow by nature and has no deadline of its own.
SLOW_S = 600
# An event loop keeps what a background task of it raised, and the end of a fixture may hang as
# well: so the signal comes again until the test has ended.
_AGAIN_S = 15


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_S))


def pytest_timeout_set_timer(item: pytest.Item, settings: Settings) -> bool:
    """The plugin's own timer is for one signal."""

    def over(_number: int, _frame: FrameType | None) -> None:
        __tracebackhide__ = True
        timeout_sigalrm(item, settings)

    signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, settings.timeout, _AGAIN_S)
    return True


def pytest_timeout_cancel_timer() -> bool:
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    return True

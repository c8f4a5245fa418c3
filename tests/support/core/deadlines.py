"""A pytest plugin, named in `pyproject.toml`, that sets each test's deadline for pytest-timeout.

It uses the signal, which raises in the waiting test, so that fixtures stop what they started. A
thread could only end the process.
"""

import signal
from types import FrameType

import pytest
from pytest_timeout import Settings, timeout_sigalrm

# The deadline of inherently slow tests that do not set one.
SLOW_S = 600
# An event loop stores an exception from a background task, and a fixture's teardown may hang too.
# The signal is therefore repeated until the test has ended.
_AGAIN_S = 15


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SLOW_S))


def pytest_timeout_set_timer(item: pytest.Item, settings: Settings) -> bool:
    """Start a timer that repeats the signal. pytest-timeout's timer sends only one signal."""

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

"""A limit on the CPU time for which one piece of synchronous work may block the event loop
(docs/decisions/0108).

The step budget (`domain/core/effort.py`) counts characters, and does not stop a backtracking
regular expression or a quadratic library call. This guard does: the handler of a timer signal
raises an exception in the running code. CPython's `re` checks for signals while it searches.
"""

import signal
from asyncio import CancelledError, current_task
from collections.abc import Callable, Coroutine, Generator
from functools import partial
from threading import current_thread, main_thread
from time import thread_time
from types import FrameType
from typing import Any, Final, Generic, TypeVar

from domain.core.errors import OverBudget

SLICE_S: Final = 0.5
"""Maximum CPU time of the event loop's thread between two points at which other tasks may run, in
seconds. The most expensive legitimate message takes a tenth of this time."""
EVENT_S: Final = 3.0
"""Maximum CPU time of the event loop's thread for one event, in seconds."""

# The timer counts the CPU time of all threads. It only prompts the handler to compare the thread's
# own CPU time with the limit, so other threads cause no false alarm.
_TIMER: Final = signal.ITIMER_PROF
_SIGNAL: Final = signal.SIGPROF
_TICK_S: Final = 0.05

# Code whose time does not count and that is not interrupted. It loads the release's own data once
# per process, or changes state that all clients share.
_PROTECTED: Final = (
    "/re/_compiler.py",
    "/re/_parser.py",
    "/store/core/client_turns.py",
    "/domain/core/recent.py",
)

Result = TypeVar("Result")


class _TimeUsedUp(BaseException):
    """Raised by the signal handler. Handlers of Exception do not catch it."""


class _Slice:
    """A running piece of work. `used` is its CPU time in seconds at the last measurement.
    `is_stopped` is True once the handler has raised in it."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._seen = thread_time()
        self.used = 0.0
        self.is_stopped = False

    def note(self, frame: FrameType | None = None) -> None:
        """Add the CPU time since the last measurement, unless protected code used it."""
        now = thread_time()
        if frame is None or not _is_protected(frame):
            self.used += now - self._seen
        self._seen = now

    def stop_if_over(self, frame: FrameType | None) -> None:
        """Raise _TimeUsedUp if the limit is exceeded. If the work catches the exception and
        continues, raise it again after at least the same amount of CPU time."""
        self.note(frame)
        if self.used >= self._limit_s and not (frame and _is_protected(frame)):
            self.is_stopped = True
            self._limit_s += self.used
            raise _TimeUsedUp


_running: _Slice | None = None


def limited(work: Callable[[], Result], *, limit_s: float = SLICE_S) -> Result:
    """Run synchronous work in the event loop's thread. Raises OverBudget after `limit_s` seconds of
    CPU time.

    The limit does not apply in other threads or within guarded work. The work must not change state
    that an exception could leave inconsistent.
    """
    return _run(work, _Slice(limit_s))


async def in_slices(
    work: Coroutine[Any, Any, Result], *, slice_s: float = SLICE_S, total_s: float = EVENT_S
) -> Result:
    """Await a coroutine and return its result. Raises OverBudget after `slice_s` seconds of CPU
    time between two awaits, or `total_s` in total.

    Other tasks are not limited. Beyond the total, the coroutine is cancelled once, at an await, so
    that it can clean up with further awaits.
    """
    return await _Slices(work, slice_s, total_s)


class _Slices(Generic[Result]):
    """An awaitable that runs each step of a coroutine within a limit."""

    def __init__(self, work: Coroutine[Any, Any, Result], slice_s: float, total_s: float) -> None:
        self._work = work
        self._slice_s = slice_s
        self._left_s = total_s

    def __await__(self) -> Generator[Any, Any, Result]:
        step: Callable[[], Any] = partial(self._work.send, None)
        is_stopped, cancelled_before = False, _cancellations()
        while True:
            piece = _Slice(self._slice_s)
            try:
                waited = _run(step, piece)
            except StopIteration as end:
                result: Result = end.value
                return result
            except _TimeUsedUp:  # A slice was stopped, and a later one has cleaned up.
                raise OverBudget from None
            except CancelledError:
                # A cancellation of the task by other code takes precedence.
                if is_stopped and _cancellations() <= cancelled_before:
                    raise OverBudget from None
                raise
            self._left_s -= piece.used
            is_stopped |= piece.is_stopped
            try:
                yield waited
            except BaseException as error:  # noqa: BLE001 - passed on to the coroutine
                step = partial(self._work.throw, error)
                continue
            step = partial(self._work.send, None)
            if self._left_s < 0 and not is_stopped:
                is_stopped = True
                step = partial(self._work.throw, CancelledError())


def _cancellations() -> int:
    """Return the number of pending cancellations of the current task."""
    task = current_task()
    return 0 if task is None else task.cancelling()


def _run(work: Callable[[], Result], piece: _Slice) -> Result:
    global _running  # noqa: PLW0603 - a process has one timer of this kind
    if _running is not None or current_thread() is not main_thread():
        return work()
    if signal.getsignal(_SIGNAL) is not _on_tick:
        # The handler stays installed because the signal's default action ends the process. Without
        # guarded work, the handler does nothing.
        signal.signal(_SIGNAL, _on_tick)
    try:
        _running = piece
        signal.setitimer(_TIMER, _TICK_S, _TICK_S)
        return work()
    except CancelledError:
        raise
    except BaseException:
        if piece.is_stopped:
            raise OverBudget from None
        raise
    finally:
        _running = None
        signal.setitimer(_TIMER, 0)
        piece.note()


def _on_tick(_: int, frame: FrameType | None) -> None:
    if _running is not None:
        _running.stop_if_over(frame)


def _is_protected(frame: FrameType) -> bool:
    """Return True if the guarded work must not be interrupted now.

    This protects imports, pattern compilation, changes to the connection slots, and cached
    functions without parameters, which load data files.
    """
    here: FrameType | None = frame
    while here is not None and here.f_code is not _run.__code__:
        code = here.f_code
        if code.co_filename.startswith("<frozen importlib") or code.co_filename.endswith(
            _PROTECTED
        ):
            return True
        if not code.co_argcount and hasattr(here.f_globals.get(code.co_name), "cache_info"):
            return True
        here = here.f_back
    return False

"""Work that is too expensive is stopped, and nothing else is."""

import asyncio
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from time import thread_time

import pytest

from domain.core.errors import OverBudget
from domain.core.ids import TenantId
from services.core import cpu_guard
from services.core.cpu_guard import in_slices, limited
from store.core.client_turns import ClientTurns
from tests.support.core.endless import endless_loop, endless_search
from tests.support.core.forks import ROOT

LIMIT_S = 0.15
# CPython checks for signals every 4,096 steps of a search. A step can examine the whole text.
LATE_S = 0.5


def burn(seconds: float) -> str:
    """Use this much CPU time of the thread."""
    until = thread_time() + seconds
    while thread_time() < until:
        pass
    return "done"


def is_off() -> bool:
    return signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0) and cpu_guard._running is None


@pytest.mark.parametrize(
    "work",
    [
        endless_search,
        endless_loop,
        lambda: re.search(r"\w+\w+\w+!", "a" * 20_000),
        lambda: re.sub(r"\s+\s+\s+$", "", " " * 20_000 + "x"),
        lambda: re.findall(r"<!--.*x.*y.*-->", "<!--xy" * 4_000, re.DOTALL),
        lambda: "".join(chr(0x4E00 + n * 7 % 9_000) for n in range(8_000)).encode("idna"),
        lambda: sorted(range(100_000), key=lambda n: [burn(0.001), n]),
    ],
)
def test_endless_work_is_stopped(work: Callable[[], object]) -> None:
    started = thread_time()

    with pytest.raises(OverBudget):
        limited(work, limit_s=LIMIT_S)

    assert thread_time() - started < LIMIT_S + LATE_S
    assert is_off()
    # Nothing fires afterwards.
    assert burn(3 * LIMIT_S) == "done"


def test_work_within_the_limit_is_left_alone() -> None:
    assert limited(lambda: burn(LIMIT_S / 2), limit_s=LIMIT_S) == "done"
    with pytest.raises(ZeroDivisionError):
        limited(lambda: 1 // 0)
    assert is_off()


def test_other_threads_and_waiting_do_not_count() -> None:
    ends = threading.Event()

    def busy() -> None:
        while not ends.is_set():
            burn(0.01)

    threads = [threading.Thread(target=busy) for _ in range(3)]
    for one in threads:
        one.start()
    try:
        assert limited(lambda: time.sleep(6 * LIMIT_S), limit_s=LIMIT_S) is None
    finally:
        ends.set()
        for one in threads:
            one.join()


async def test_in_another_thread_the_limit_does_not_apply() -> None:
    done = await asyncio.to_thread(limited, lambda: burn(2 * LIMIT_S), limit_s=LIMIT_S)
    assert done == "done"


def test_work_cannot_swallow_the_stop() -> None:
    caught = []

    def stubborn() -> None:
        while True:
            try:
                endless_search()
            except Exception:  # noqa: BLE001
                caught.append("exception")

    def swallows_once() -> str:
        with suppress(BaseException):
            endless_search()
        return str(endless_search())

    for work in (stubborn, swallows_once):
        with pytest.raises(OverBudget):
            limited(work, limit_s=LIMIT_S)
    assert caught == []


def test_the_limit_of_the_outer_work_applies_to_the_inner() -> None:
    def inner() -> str:
        return limited(lambda: burn(2 * LIMIT_S), limit_s=60)

    with pytest.raises(OverBudget):
        limited(inner, limit_s=LIMIT_S)


def test_loading_the_release_s_own_data_does_not_count() -> None:
    @cache
    def words() -> str:
        return burn(3 * LIMIT_S)

    globals()["words"] = words  # A module's cached function without parameters.
    try:
        assert limited(words, limit_s=LIMIT_S) == "done"
    finally:
        del globals()["words"]
    pattern = "|".join(f"(?:word{n}[a-z]{{2,5}}(?:{n}|x)?)" for n in range(4_000))
    assert limited(lambda: re.compile(pattern), limit_s=LIMIT_S).match("word1aa1")


async def test_each_slice_of_a_coroutine_has_the_limit() -> None:
    async def work(seconds: float) -> str:
        for _ in range(4):
            burn(seconds)
            await asyncio.sleep(0)
        return "done"

    assert await in_slices(work(LIMIT_S / 2), slice_s=LIMIT_S) == "done"
    with pytest.raises(OverBudget):
        await in_slices(work(2 * LIMIT_S), slice_s=LIMIT_S)
    with pytest.raises(OverBudget):
        await in_slices(work(LIMIT_S / 2), slice_s=LIMIT_S, total_s=LIMIT_S)
    assert is_off()


async def test_a_stopped_coroutine_cleans_up() -> None:
    seen = []

    async def work() -> None:
        try:
            async with asyncio.timeout(60):
                await asyncio.sleep(0)
                endless_search()
        finally:
            await asyncio.sleep(0)
            seen.append("cleaned up")

    with pytest.raises(OverBudget):
        await in_slices(work(), slice_s=LIMIT_S)

    assert seen == ["cleaned up"]


async def test_a_coroutine_can_be_cancelled_and_can_fail() -> None:
    seen = []

    async def waits() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    async def fails() -> None:
        await asyncio.sleep(0)
        raise KeyError("x")

    task = asyncio.ensure_future(in_slices(waits()))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(KeyError):
        await in_slices(fails())
    async with asyncio.timeout(5):
        assert await asyncio.gather(*(in_slices(asyncio.sleep(0.01, n)) for n in range(20))) == [
            *range(20)
        ]
    assert seen == ["cancelled"]


async def test_other_tasks_run_while_expensive_ones_are_stopped() -> None:
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def endless() -> None:
        await asyncio.sleep(0)
        endless_search()

    task = asyncio.ensure_future(other())
    done = await asyncio.gather(
        *(in_slices(endless(), slice_s=LIMIT_S) for _ in range(3)), return_exceptions=True
    )
    task.cancel()

    assert [type(one) for one in done] == [OverBudget] * 3
    assert turns >= 3


async def _over_in_total() -> None:
    """Use more than LIMIT_S in total, and not at once. The next await is the place of the stop."""
    for _ in range(3):
        burn(LIMIT_S / 2)
        await asyncio.sleep(0)


async def test_a_coroutine_over_its_total_is_stopped_once_and_cleans_up() -> None:
    seen = []

    async def work() -> None:
        try:
            burn(LIMIT_S / 2)
            await asyncio.sleep(0)
            burn(LIMIT_S * 0.6)
            await asyncio.sleep(0.01)
            seen.append("not stopped")
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise
        finally:
            for n in range(3):
                await asyncio.sleep(0)
                seen.append(f"cleaned up {n}")

    with pytest.raises(OverBudget):
        await in_slices(work(), total_s=LIMIT_S)

    assert seen == ["cancelled", "cleaned up 0", "cleaned up 1", "cleaned up 2"]


async def test_a_stop_loses_no_lock_and_no_slot() -> None:
    """A lock and a connection slot that are assigned while the waiting work is over its total."""
    lock, turns = asyncio.Lock(), ClientTurns(1, 1)
    mine, other = TenantId("mine"), TenantId("other")

    waiting, both_wait = [], asyncio.Event()

    async def use_up() -> None:
        burn(LIMIT_S / 2)
        await asyncio.sleep(0)
        burn(LIMIT_S * 0.6)
        waiting.append(1)
        if len(waiting) == 2:
            both_wait.set()

    async def waits_for_lock() -> None:
        await use_up()
        async with lock:
            pytest.fail("not stopped")

    async def waits_for_slot() -> None:
        await use_up()
        async with turns.turn(mine):
            pytest.fail("not stopped")

    async def hold() -> None:
        async with turns.turn(other), lock:
            await both_wait.wait()

    holder = asyncio.create_task(hold())
    await asyncio.sleep(0.01)
    works = (waits_for_lock(), waits_for_slot())
    tasks = [asyncio.create_task(in_slices(one, total_s=LIMIT_S)) for one in works]
    done = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(one) for one in done] == [OverBudget] * 2
    await holder

    async with asyncio.timeout(1), lock, turns.turn(other):
        pass
    async with asyncio.timeout(1), turns.turn(mine):
        pass


async def test_other_cancellations_keep_their_meaning() -> None:
    """A timeout inside the work does not hide a later stop, and a stop hides no cancellation."""

    async def after_timeout() -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(0.01):
                await asyncio.Event().wait()
        await _over_in_total()
        await asyncio.sleep(0)

    with pytest.raises(OverBudget):
        await in_slices(after_timeout(), total_s=LIMIT_S)

    cleaning = asyncio.Event()

    async def cleans_up() -> None:
        try:
            await _over_in_total()
        finally:
            cleaning.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(in_slices(cleans_up(), total_s=LIMIT_S))
    await cleaning.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


_PROGRAM = """
import asyncio, os, signal, sys
from services.core.cpu_guard import in_slices, limited
from domain.core.errors import OverBudget
from tests.support.core.endless import endless_loop, endless_search

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        await send({"type": "lifespan.shutdown.complete"})
        return
    stopped = 0
    for work in (endless_search, endless_loop):
        try:
            limited(work, limit_s=0.1)
        except OverBudget:
            stopped += 1
    head = [(b"content-length", b"1")]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": str(stopped).encode()})

async def main(kind):
    got = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, got.set)
    loop.set_exception_handler(lambda _, context: print("unexpected", context, flush=True))
    async def ask(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n")
        return (await reader.read()).rpartition(b"\\r\\n\\r\\n")[2]
    import uvicorn
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical"))
    serving = asyncio.ensure_future(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    answers = [await ask(port) for _ in range(3)]
    os.kill(os.getpid(), signal.SIGUSR1)
    await asyncio.wait_for(got.wait(), 5)
    os.kill(os.getpid(), signal.SIGPROF)  # A late signal is ignored.
    await asyncio.sleep(0.05)
    os.kill(os.getpid(), signal.SIGTERM)
    try:
        await asyncio.wait_for(serving, 10)
    finally:
        kind = type(loop).__module__.partition(".")[0]
        print(kind, *(one.decode() for one in answers), flush=True)

signal.signal(signal.SIGTERM, lambda *_: None)
if sys.argv[1] == "uvloop":
    import uvloop
    uvloop.run(main("uvloop"))
else:
    asyncio.run(main("asyncio"))
"""


@pytest.mark.parametrize("kind", ["asyncio", "uvloop"])
def test_it_works_under_uvicorn_beside_the_loop_s_own_signals(kind: str) -> None:
    """SIGUSR1 and SIGTERM keep their handlers, and the server ends by itself."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, kind],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (done.stdout.strip(), done.returncode) == (f"{kind} 2 2 2", 0), done.stderr

"""Large events are normalized in processes that can be killed."""

import asyncio
import sys
from collections.abc import AsyncIterator

import psutil
import pytest

from adapters.normalizing.inline import normalize_inline
from adapters.normalizing.pool import NormalizerPool
from adapters.processes.process_pool import PROCESSES
from domain.core.errors import OverBudget
from domain.intake.event import InboundEvent
from domain.intake.event_size import LARGE, is_large
from tests.support.core.forks import ROOT
from tests.support.core.waiting import eventually

SMALL = InboundEvent(event_type="email.inbound", message="Where is order 1042?")
LARGE_MAIL = InboundEvent(
    event_type="email.inbound",
    customer_email="a@b.example",
    payload={"subject": "Order 1042", "html_body": "<p>Where is <b>my</b> order?</p>" * 2_000},
)


# The children of other tests' pools, which share this process.
_OTHERS: list[psutil.Process] = []


@pytest.fixture
async def pool() -> AsyncIterator[NormalizerPool]:
    _OTHERS.clear()
    _OTHERS.extend(children())
    pool = NormalizerPool()
    yield pool
    await pool.close()


def children() -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process().children()
        if child not in _OTHERS and "adapters.normalizing.child" in " ".join(child.cmdline())
    ]


def test_what_is_large() -> None:
    assert not is_large(SMALL)
    assert is_large(LARGE_MAIL)
    assert is_large(SMALL.model_copy(update={"message": "x" * LARGE}))
    assert not is_large(SMALL.model_copy(update={"message": "x" * (LARGE - 1)}))
    assert is_large(SMALL.model_copy(update={"payload": {"deep": [{"k" * LARGE: 1}]}}))
    assert is_large(SMALL.model_copy(update={"payload": {"numbers": [0] * LARGE}}))


async def test_it_is_the_same_wherever_it_is_done(pool: NormalizerPool) -> None:
    for event in (SMALL, LARGE_MAIL):
        done = await pool.normalize(event, fallback_ticket_id="T")

        assert done == normalize_inline(event, fallback_ticket_id="T", authserv_ids=())
    assert len(children()) == 1


async def test_who_takes_too_long_is_ended_and_no_other(pool: NormalizerPool) -> None:
    """The process is killed even inside a library; the next event gets a new process."""
    hasty = NormalizerPool(cpu_s=0.0001)
    with pytest.raises(OverBudget):
        await hasty.normalize(LARGE_MAIL, fallback_ticket_id="T")

    assert children() == []
    await hasty.close()
    assert (await pool.normalize(LARGE_MAIL, fallback_ticket_id="T")).event.subject == "Order 1042"


async def test_a_process_that_dies_is_replaced(pool: NormalizerPool) -> None:
    await pool.normalize(LARGE_MAIL, fallback_ticket_id="T")
    (before,) = children()
    before.kill()

    done = await pool.normalize(LARGE_MAIL, fallback_ticket_id="T")

    (after,) = children()
    assert done.event.ticket_id == "T"
    assert after.pid != before.pid


async def test_many_at_once_share_the_processes(pool: NormalizerPool) -> None:
    await pool.start()
    asked = [pool.normalize(LARGE_MAIL, fallback_ticket_id=str(n)) for n in range(3 * PROCESSES)]

    done = await asyncio.gather(*asked)

    assert [one.event.ticket_id for one in done] == [str(n) for n in range(3 * PROCESSES)]
    assert len(children()) == PROCESSES


async def test_nobody_gets_the_answer_to_whoever_gave_up(pool: NormalizerPool) -> None:
    await pool.normalize(LARGE_MAIL, fallback_ticket_id="first")
    given_up = asyncio.ensure_future(pool.normalize(LARGE_MAIL, fallback_ticket_id="late"))
    await asyncio.sleep(0)
    given_up.cancel()
    with pytest.raises(asyncio.CancelledError):
        await given_up

    done = await pool.normalize(LARGE_MAIL, fallback_ticket_id="next")

    assert done.event.ticket_id == "next"


@pytest.mark.slow
async def test_the_processes_end_with_their_worker() -> None:
    """Even if nothing stops them: a worker may be killed."""
    code = """
import asyncio
from adapters.normalizing.pool import NormalizerPool
async def main():
    await NormalizerPool().start()
    print("started", flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""
    worker = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    assert worker.stdout is not None
    await worker.stdout.readline()
    started = psutil.Process(worker.pid).children()
    assert len(started) == PROCESSES

    worker.kill()
    await worker.wait()

    async def ended() -> bool:
        return not any(child.is_running() for child in started)

    await eventually(ended)

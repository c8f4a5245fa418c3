"""The load driver for one contender. It reads one target and then phases from standard input, and
writes samples to standard output, one per line."""

import asyncio
import itertools
import secrets
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Final

import orjson
import uvloop
from temporalio.client import Client, WithStartWorkflowOperation
from temporalio.common import WorkflowIDConflictPolicy

from adapters.temporal.connection import connect
from bench import noop
from bench.http_client import HttpClient
from bench.load import Call, LoadShop, Phase, Sample, Target
from bench.orders import Askers
from bench.webhook_calls import children_call, deliveries_call, neighbour_call, posts_call
from demo.tickets import SampleTicket
from settings import load_temporal

_HOST: Final = "127.0.0.1"
_GATEWAY: Final = "/api/engine/gateway"
_USAGE: Final = "/api/billing/usage"
_SHOWN_FAILURES: Final = 5

Exchanged = Awaitable[tuple[int, bytes]]
Exchange = Callable[[HttpClient], Exchanged]
"""A function that sends a request over a connection, and returns the status and the body of the
response."""


def naive_call(client: Client) -> Call:
    async def call() -> str:
        handle = await client.start_workflow(
            noop.Naive.run, "event", id=_unique("naive"), task_queue=noop.QUEUE
        )
        return await handle.result()

    return call


def update_call(client: Client, workflow: type) -> Call:
    async def call() -> str:
        start = WithStartWorkflowOperation[object, str](
            workflow.__name__,
            "event",
            id=_unique(workflow.__name__),
            task_queue=noop.QUEUE,
            id_conflict_policy=WorkflowIDConflictPolicy.FAIL,
        )
        outcome: str = await client.execute_update_with_start_workflow(
            noop.ANSWER, start_workflow_operation=start, result_type=str
        )
        return outcome

    return call


@asynccontextmanager
async def connections(port: int) -> AsyncIterator[Callable[[Exchange], Exchanged]]:
    """Yield a function that sends requests over pooled connections, and opens more connections as
    needed."""
    idle: list[HttpClient] = []
    async with AsyncExitStack() as held:

        async def on_one(exchange: Exchange) -> tuple[int, bytes]:
            while idle and not idle[-1].is_open:
                idle.pop()
            client = idle.pop() if idle else await held.enter_async_context(HttpClient(_HOST, port))
            answer = await exchange(client)
            idle.append(client)
            return answer

        yield on_one


@asynccontextmanager
async def gateway_call(target: Target) -> AsyncIterator[Call]:
    """Yield a call that sends tickets. The calls rotate through the customers and shops, so that no
    customer or shop reaches a limit."""
    pairs = _shops_and_tickets(target, Askers())
    async with connections(target.port) as on_one:

        async def call() -> str:
            shop, ticket = next(pairs)
            body = orjson.dumps({"client_id": shop.client_id, **ticket.body})
            status, answer = await on_one(lambda client: client.post(_GATEWAY, shop.key, body))
            return _outcome(ticket, status, answer)

        yield call


def _shops_and_tickets(target: Target, askers: Askers) -> Iterator[tuple[LoadShop, SampleTicket]]:
    while True:
        ticket = askers.mail() if target.kind == "mail" else askers.shop_ticket()
        for shop in target.shops:
            yield shop, ticket
        askers.next_of_all()


@asynccontextmanager
async def usage_call(target: Target) -> AsyncIterator[Call]:
    """Yield a call that reads usage. The calls rotate through the shops, so that no shop reaches
    its rate limit."""
    shops = itertools.cycle(target.shops)
    async with connections(target.port) as on_one:

        async def call() -> str:
            shop = next(shops)
            path = f"{_USAGE}?client_id={shop.client_id}"
            status, answer = await on_one(lambda client: client.get(path, shop.key))
            if status == 200 and b'"tickets_used":' in answer:
                return "completed"
            return _unexpected(status, answer)

        yield call


def _outcome(ticket: SampleTicket, status: int, answer: bytes) -> str:
    """Return "completed" if the answer is as expected for this ticket. Otherwise, describe the
    response."""
    if status == 200:
        run = orjson.loads(answer)
        found = (run["status"], run["classification"], run["steps_executed"])
        if found == (ticket.status, ticket.classification, 1):
            return "completed"
    return _unexpected(status, answer)


def _unexpected(status: int, answer: bytes) -> str:
    return f"HTTP {status}: {answer[:300].decode(errors='replace')}"


def _unique(prefix: str) -> str:
    return f"{prefix}-{secrets.token_hex(8)}"


@asynccontextmanager
async def call_of(target: Target) -> AsyncIterator[Call]:
    if target.kind == "naive":
        yield naive_call(await Client.connect(target.address))
    elif target.kind == "floor":
        yield update_call(
            await connect(load_temporal({"TEMPORAL_ADDRESS": target.address})), noop.Floor
        )
    elif target.kind == "skeleton":
        yield update_call(
            await connect(load_temporal({"TEMPORAL_ADDRESS": target.address})), noop.Skeleton
        )
    else:
        async with _CALLS[target.kind](target) as call:
            yield call


_CALLS: Final[Mapping[str, Callable[[Target], AbstractAsyncContextManager[Call]]]] = {
    "gateway": gateway_call,
    "mail": gateway_call,
    "usage": usage_call,
    "children": children_call,
    "deliveries": deliveries_call,
    "posts": posts_call,
    "neighbour": neighbour_call,
}


async def run_phase(call: Call, phase: Phase) -> Sample:
    """Keep `concurrency` calls running for the duration of the phase, then wait for the last
    ones."""
    latencies: list[float] = []
    failures: list[str] = []
    cpu, start = time.process_time(), time.perf_counter()

    async def caller(number: int) -> None:
        for turn in itertools.count():
            began = time.perf_counter()
            if phase.rate is not None:
                due = start + (number + turn * phase.concurrency) / phase.rate
                await asyncio.sleep(due - began)
                began = due
            if time.perf_counter() - start >= phase.seconds:
                return
            try:
                outcome = await call()
            except Exception as error:  # noqa: BLE001 - the report must name any error
                outcome = f"{type(error).__name__}: {error}"
            if isinstance(outcome, float):
                latencies.append(outcome)
            elif outcome == "completed":
                latencies.append((time.perf_counter() - began) * 1000)
            else:
                failures.append(outcome)

    async with asyncio.TaskGroup() as group:
        for number in range(phase.concurrency):
            group.create_task(caller(number))
    return Sample(
        latencies_ms=tuple(round(value, 3) for value in latencies),
        elapsed_s=time.perf_counter() - start,
        failed=len(failures),
        failures=tuple(failures[:_SHOWN_FAILURES]),
        driver_cpu_s=time.process_time() - cpu,
    )


async def drive() -> None:
    """Run a phase for each line of input until the input ends."""
    target = Target.model_validate_json(sys.stdin.readline())
    async with call_of(target) as call:
        while line := await asyncio.to_thread(sys.stdin.readline):
            sample = await run_phase(call, Phase.model_validate_json(line))
            print(sample.model_dump_json(), flush=True)


if __name__ == "__main__":
    uvloop.run(drive())

"""The worker for a no-op contender, in a separate process: python -m bench.noop_worker."""

import argparse
import asyncio
import signal

import uvloop
from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from adapters.temporal.connection import connect
from bench import noop
from settings import load_temporal

_STEPS = (noop.normalize, noop.think, noop.execute, noop.persist)


async def naive_worker(address: str) -> Worker:
    """Return a worker with all of the SDK's defaults."""
    return Worker(
        await Client.connect(address),
        task_queue=noop.QUEUE,
        workflows=[noop.Naive],
        activities=_STEPS,
    )


async def floor_worker(address: str) -> Worker:
    """Return a worker with our client, without a sandbox and optional features. `skeleton` uses the
    same."""
    return Worker(
        await connect(load_temporal({"TEMPORAL_ADDRESS": address})),
        task_queue=noop.QUEUE,
        workflows=[noop.Floor, noop.Skeleton],
        activities=_STEPS,
        workflow_runner=UnsandboxedWorkflowRunner(),
    )


async def work(variant: str, address: str) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    worker = await (naive_worker if variant == "naive" else floor_worker)(address)
    async with worker:
        await stop.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variant", choices=["naive", "floor", "skeleton"])
    parser.add_argument("--address", required=True)
    arguments = parser.parse_args()
    run = asyncio.run if arguments.variant == "naive" else uvloop.run
    run(work(arguments.variant, arguments.address))


if __name__ == "__main__":
    main()

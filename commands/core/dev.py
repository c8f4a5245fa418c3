"""dev and demo: commands that run the complete service locally, optionally with a tour of its
features."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated

import typer
from pydantic import TypeAdapter
from rich.status import Status

from adapters.observability.logs import configure_logs
from commands.core.context import DEFAULT_DATA, err, out, synchronous
from demo.account import show_new_account
from demo.addresses import show_addresses, show_entry
from demo.opening import OpenShop, open_shop
from demo.tour import Tour
from domain.core.errors import InvalidInput
from embedded.data_folder import DataFolder, StackInfo
from embedded.ports import LOOPBACK, is_loopback
from embedded.stack import Stack, StackPorts

_DEFAULT_PORT = 8080
_WATCH_S = 0.5

PortOption = Annotated[
    int | None,
    typer.Option(help=("Port for the API; defaults to PORT, or to 8080 if that port is free.")),
]
DataOption = Annotated[Path, typer.Option("--data", help="Folder in which all data is stored.")]


@synchronous
async def dev(
    port: PortOption = None,
    temporal_port: Annotated[
        int | None, typer.Option(help="Port for Temporal; defaults to a free port.")
    ] = None,
    ui_port: Annotated[
        int | None, typer.Option(help="Port for Temporal's UI; defaults to a free port.")
    ] = None,
    data: DataOption = DEFAULT_DATA,
    tour: Annotated[
        bool, typer.Option(help=("Start the demo shop, and send the sample tickets first."))
    ] = True,
    open_to_network: Annotated[
        bool,
        typer.Option(
            help="Allow developer features even if HOST accepts connections from other machines."
        ),
    ] = False,
) -> None:
    """Run the complete service locally until Ctrl-C."""
    ports = StackPorts(
        api=port or _port_of_environment(),
        api_if_free=_DEFAULT_PORT,
        temporal=temporal_port,
        temporal_ui=ui_port,
    )
    host = os.environ.get("HOST") or LOOPBACK
    if not open_to_network:
        check_host(host, liberties_of(os.environ, tour=tour))

    async def serve(stack: Stack, folder: DataFolder, info: StackInfo) -> None:
        async with AsyncExitStack() as held:
            opened: OpenShop | None = None
            if tour:
                # The shop keeps running because its webhook endpoint receives events while the
                # command runs.
                opened = await held.enter_async_context(open_shop(folder, info))
                tour_guide = Tour(opened, info, folder, out)
                await tour_guide.run()
                show_addresses(opened, info, out)
                tour_guide.follow_webhooks()
            # The line must be flushed now because scripts wait for it.
            typer.echo(f"ready {info.api_url}")
            err.print(f"Emails are stored in {data}/mail. Press Ctrl-C to stop.")
            if opened is not None:
                await show_entry(opened, info, out)
            await _watch(stack, data)

    await _with_stack(DataFolder(data), ports, serve, host=host, endless=True)


@synchronous
async def demo(data: DataOption = DEFAULT_DATA / "demo") -> None:
    """Run the complete service, take the tour, then stop. The exit code is 1 if a step of the tour
    fails."""

    async def once(_: Stack, folder: DataFolder, info: StackInfo) -> None:
        async with open_shop(folder, info) as opened:
            good = await Tour(opened, info, folder, out).run()
        if not (good and await show_new_account(info.api_url, folder.mail, out)):
            raise InvalidInput("a step of the tour did not have the expected result")

    await _with_stack(DataFolder(data), StackPorts(), once, host=LOOPBACK, endless=False)


Work = Callable[[Stack, DataFolder, StackInfo], Awaitable[None]]


async def _with_stack(
    folder: DataFolder, ports: StackPorts, work: Work, *, host: str, endless: bool
) -> None:
    """Start the stack, run `work`, and stop every process, even after an error. If `endless` is
    true, Ctrl-C ends the work normally."""
    # Other users must not read the files that this process and its children create.
    os.umask(0o077)
    configure_logs("WARNING")  # INFO would print audit entries between the demo's steps.
    task = asyncio.current_task()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, _cancel, task)
    with err.status("starting") as status:
        stack = Stack(folder, ports, lambda part: _show_progress(status, part), host=host)
        try:
            info = await stack.start()
            status.stop()
            await work(stack, folder, info)
        except asyncio.CancelledError:
            err.print()
            if not endless:
                raise typer.Exit(130) from None  # The work was interrupted before it finished.
        finally:
            status.update("stopping")
            status.start()
            stack.stop()


def _cancel(task: "asyncio.Task[None] | None") -> None:
    if task is not None:
        task.cancel()


def _show_progress(status: Status, part: str) -> None:
    status.update(f"starting {part}")
    if not err.is_terminal:
        err.print(f"starting {part}")


def liberties_of(environment: Mapping[str, str], *, tour: bool) -> list[str]:
    """Return descriptions of the stack's features that are safe only on a developer's own
    machine."""
    found = [
        name
        for name in ("ALLOW_LOOPBACK_TARGETS", "WEBHOOK_ALLOW_PRIVATE_ADDRESSES")
        if TypeAdapter(bool).validate_python(environment.get(name) or "true")
    ]
    return [*found, "the demo shop, with its key shown (disable with --no-tour)"] if tour else found


def check_host(host: str, liberties: list[str]) -> None:
    """Raise InvalidInput if other machines could use the stack's developer features."""
    if liberties and not is_loopback(host):
        raise InvalidInput(
            f"HOST={host} accepts connections from other machines, which could then use: "
            f"{'; '.join(liberties)}. Leave HOST unset, disable these features, or "
            "pass --open-to-network"
        )


def _port_of_environment() -> int | None:
    given = os.environ.get("PORT")
    if not given:
        return None
    if not given.isdecimal():
        raise InvalidInput(f"PORT: a number expected, not {given!r}")
    return int(given)


async def _watch(stack: Stack, data: Path) -> None:
    """Print each process of the stack that exits unexpectedly, and how to restart it."""
    reported: set[str] = set()
    while True:
        for child in stack.dead():
            if child.name not in reported:
                reported.add(child.name)
                again = _RESTART.get(child.name, "restart this command")
                err.print(
                    f"{child.name} ended (exit code {child.exit_code}), see {child.log}; "
                    f"{again.format(data=data)}",
                    style="bold red",
                    highlight=False,
                    soft_wrap=True,
                )
        await asyncio.sleep(_WATCH_S)


_RESTART = {
    "worker": "start another: .venv/bin/python cli.py worker --data {data}",
    "webhook-worker": "start another: "
    ".venv/bin/python cli.py worker --queue webhooks --data {data}",
    "api": "start another: .venv/bin/python cli.py serve --data {data}",
}

"""Start the service's Python programs with preloaded imports, which cost two seconds of CPU.

`tests.support.core.forks` runs it as a process and sends requests over the socket in `sys.argv`.
Each forked program has a keeper process as its parent, which reports its pid and exit code.
"""

import json
import os
import runpy
import signal
import socket
import sys
from typing import Any, TypedDict
from unittest.mock import patch

from adapters.processes.module_loading import loading_modules
from embedded.process import die_with_parent


class Request(TypedDict):
    arguments: list[str]
    environment: dict[str, str]
    folder: str


def serve(control: socket.socket) -> Request | None:
    """Fork for each request. Returns the request in the new process, and None at the end."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no process reads a keeper's exit code
    while True:
        message, files, _, _ = socket.recv_fds(control, 1 << 17, 4)
        if not message:
            return None
        if os.fork() == 0:
            control.close()
            _keep(socket.socket(fileno=files[0]), files[1:])
            request: Request = json.loads(message)
            return request
        for file in files:
            os.close(file)


def _keep(told: socket.socket, standard: list[int]) -> None:
    """Fork again, and return only in the new process."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    die_with_parent()
    pid = os.fork()
    if pid:
        told.send(_number(pid))
        # The process stays a zombie while it may still be signalled, so that its pid is not reused.
        end = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        assert end is not None
        told.send(_number(end.si_status if end.si_code == os.CLD_EXITED else -end.si_status))
        told.recv(1)
        os._exit(0)
    told.close()
    os.setsid()
    die_with_parent()
    # Handle Ctrl-C as in a terminal, even if the tests run with Ctrl-C ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, file in enumerate(standard):
        os.dup2(file, number)
        os.close(file)


def _number(number: int) -> bytes:
    return number.to_bytes(4, signed=True)


def run(arguments: list[str], environment: dict[str, str], folder: str) -> None:
    """Run `arguments` as the interpreter does: a file, or `-m` and a module."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        runpy.run_path(arguments[0], run_name="__main__")


def preload() -> None:
    """Import all modules of the programs except the command line, which examines the terminal on
    import."""
    import cli  # noqa: PLC0415
    from domain.agent.lexicons import read_lexicons  # noqa: PLC0415
    from workers import engine as engine_worker  # noqa: F401, PLC0415
    from workers import webhooks as webhook_worker  # noqa: F401, PLC0415

    # Preloading saves half a second of CPU time in each worker.
    read_lexicons()
    _build_document()
    for command in cli.COMMANDS:
        command.chosen()
    for name in list(sys.modules):
        if name == "cli" or name.partition(".")[0] == "commands":
            del sys.modules[name]


def _build_document() -> None:
    """Build the API's document once, as for applications in the tests' process. Building takes a
    second of CPU time, and each API has the same document."""
    from cryptography.fernet import Fernet  # noqa: PLC0415
    from fastapi.openapi.utils import get_openapi  # noqa: PLC0415

    from api.app import create_app  # noqa: PLC0415
    from settings import load_settings  # noqa: PLC0415

    built: dict[str, dict[str, Any]] = {}

    def once(*, title: str, **of: Any) -> dict[str, Any]:
        if title not in built:
            built[title] = get_openapi(title=title, **of)
        return built[title]

    patch("fastapi.applications.get_openapi", once).start()
    places = {"DATABASE_URL": "postgresql://a/b", "TEMPORAL_ADDRESS": "c:1"}
    create_app(load_settings(**places, SEAL_KEY=Fernet.generate_key().decode()))


if __name__ == "__main__":
    with loading_modules():
        preload()
    if request := serve(socket.socket(fileno=int(sys.argv[1]))):
        run(**request)

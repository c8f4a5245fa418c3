"""The service's Python processes, forked from one with preloaded imports."""

import contextlib
import functools
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[3]


def clean_environment(**more: str) -> dict[str, str]:
    """Return the environment of a new shell, without settings of this service."""
    return {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **more}


class Forked:
    """A separate process with its own environment, session and exit code, like
    `embedded.process.Child`.

    `arguments` are the interpreter's: a file or `-m` and a module, followed by the program's
    arguments.
    """

    def __init__(
        self,
        *arguments: str,
        out: IO[bytes],
        err: IO[bytes],
        env: Mapping[str, str],
        given: IO[bytes] | None = None,
    ) -> None:
        """Start the process. `given`: its standard input, or None for no input."""
        request = {"arguments": arguments, "environment": dict(env), "folder": str(Path.cwd())}
        self._told, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs, Path(os.devnull).open("rb") as nothing:
            files = [given or nothing, out, err]
            socket.send_fds(
                _server(),
                [json.dumps(request).encode()],
                [theirs.fileno(), *(file.fileno() for file in files)],
            )
        self.pid = self._told_number()
        self._exit_code: int | None = None

    @property
    def exit_code(self) -> int | None:
        """Return the exit code: None while the process runs, and -N if signal N ended it."""
        self._ended_within(0)
        return self._exit_code

    def send(self, number: signal.Signals) -> None:
        """Send a signal, unless the process has ended."""
        if self.exit_code is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask the process to end, unless it has ended."""
        self.send(signal.SIGTERM)

    def kill(self) -> None:
        """Kill the process immediately, like a power failure."""
        self.send(signal.SIGKILL)
        self._ended_within(None)

    def wait(self, seconds: float) -> None:
        """Wait until the process ends, and kill it after the timeout."""
        if not self._ended_within(seconds):
            self.kill()

    def _ended_within(self, seconds: float | None) -> bool:
        """Wait until the process ends. `seconds` is the timeout, or None to wait without one."""
        if self._exit_code is None:
            self._told.settimeout(seconds)
            with contextlib.suppress(TimeoutError, BlockingIOError):
                self._exit_code = self._told_number()
                self._told.close()  # the keeper releases the pid
        return self._exit_code is not None

    def _told_number(self) -> int:
        message = self._told.recv(4)
        if not message:
            raise ChildProcessError("the keeper of a forked process was killed")
        return int.from_bytes(message, signed=True)


@functools.cache
def _server() -> socket.socket:
    """Return the server: started for the first process, and stopped with this process."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        number = theirs.fileno()
        subprocess.Popen(
            [sys.executable, "-m", "tests.support.core.fork_server", str(number)],
            cwd=ROOT,
            env=clean_environment(),
            pass_fds=[number],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
    return ours

"""Python processes of the service, forked from one that has their imports done."""

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
    """What a fresh shell has: no setting of ours."""
    return {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **more}


class Forked:
    """A process of its own, as `embedded.process.Child` is: own environment, session, exit code.

    `arguments` are the interpreter's: a file of ours or `-m` and a module, and what follows.
    """

    def __init__(
        self,
        *arguments: str,
        out: IO[bytes],
        err: IO[bytes],
        env: Mapping[str, str],
        given: IO[bytes] | None = None,
    ) -> None:
        """`given` is its standard input, where None is nothing."""
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
        """None while it runs; -N if signal N ended it."""
        self._ended_within(0)
        return self._exit_code

    def send(self, number: signal.Signals) -> None:
        """Send a signal; nothing if it has ended."""
        if self.exit_code is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end; nothing if it has."""
        self.send(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once, as a power failure would."""
        self.send(signal.SIGKILL)
        self._ended_within(None)

    def wait(self, seconds: float) -> None:
        """Wait for its end, and end it for good when the time is over."""
        if not self._ended_within(seconds):
            self.kill()

    def _ended_within(self, seconds: float | None) -> bool:
        """None: however long it takes."""
        if self._exit_code is None:
            self._told.settimeout(seconds)
            with contextlib.suppress(TimeoutError, BlockingIOError):
                self._exit_code = self._told_number()
                self._told.close()  # the keeper gives the pid back
        return self._exit_code is not None

    def _told_number(self) -> int:
        message = self._told.recv(4)
        if not message:
            raise ChildProcessError("the keeper of a forked process was killed")
        return int.from_bytes(message, signed=True)


@functools.cache
def _server() -> socket.socket:
    """Started for the first process, ends with ours."""
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

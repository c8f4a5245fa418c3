"""A child process that logs to a file and ends with its parent."""

import ctypes
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

_PR_SET_PDEATHSIG: Final = 1
_libc: Final = ctypes.CDLL(None, use_errno=True)


class Child:
    """A process started by the stack. `name`: its display name. `fds`: the file descriptors that it
    inherits."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        log: Path,
        env: Mapping[str, str] | None = None,
        fds: Sequence[int] = (),
    ) -> None:
        log.parent.mkdir(parents=True, exist_ok=True)
        self.name = name
        self.log = log
        with log.open("ab") as out:
            self._process = subprocess.Popen(  # noqa: S603 - our own commands
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=dict(env) if env is not None else None,
                pass_fds=fds,
                # Ctrl-C reaches only the parent, which then ends its children in order.
                start_new_session=True,
                preexec_fn=die_with_parent,  # noqa: PLW1509 - started from the main thread
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """The exit code, or None while it runs."""
        return self._process.poll()

    def terminate(self) -> None:
        """Ask the process to end; no effect if it has ended."""
        if self._process.poll() is None:
            self._process.terminate()

    def interrupt(self) -> None:
        """Ask the process to end as Ctrl-C would; no effect if it has ended."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def ends_within(self, seconds: float) -> bool:
        """Wait for the process to end. Returns whether it has ended."""
        try:
            self._process.wait(max(0.0, seconds))
        except subprocess.TimeoutExpired:
            return False
        return True

    def send(self, number: signal.Signals) -> None:
        """Send a signal; no effect if the process has ended."""
        self._process.send_signal(number)

    def kill(self) -> None:
        """Kill the process immediately, as a power failure would."""
        self._process.kill()
        self._process.wait()

    def wait(self, seconds: float) -> None:
        """Wait for the process to end; kill it after `seconds`."""
        if not self.ends_within(seconds):
            self.kill()

    def log_tail(self, lines: int = 15) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])


def die_with_parent() -> None:
    """Have the kernel terminate this child if its parent is killed (Linux)."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)

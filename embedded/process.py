"""A child process that logs to a file and stops when its parent stops."""

import ctypes
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

_PR_SET_PDEATHSIG: Final = 1
_libc: Final = ctypes.CDLL(None, use_errno=True)


class Child:
    """A process that the stack starts. `name` is for display. `fds` are inherited file
    descriptors."""

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
                # The child has a separate session, so that Ctrl-C reaches only the parent. The
                # parent then stops its children in order.
                start_new_session=True,
                preexec_fn=die_with_parent,  # noqa: PLW1509 - started from the main thread
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """The exit code, or None while the process runs."""
        return self._process.poll()

    def terminate(self) -> None:
        """Send SIGTERM to the process unless it has exited."""
        if self._process.poll() is None:
            self._process.terminate()

    def interrupt(self) -> None:
        """Send SIGINT to the process, as Ctrl-C does, unless it has exited."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def ends_within(self, seconds: float) -> bool:
        """Wait up to `seconds` for the process to exit. Return whether it has exited."""
        try:
            self._process.wait(max(0.0, seconds))
        except subprocess.TimeoutExpired:
            return False
        return True

    def send(self, number: signal.Signals) -> None:
        """Send this signal to the process unless it has exited."""
        self._process.send_signal(number)

    def kill(self) -> None:
        """Send SIGKILL to the process, and wait for it to exit. The process ends abruptly, as in a
        power failure."""
        self._process.kill()
        self._process.wait()

    def wait(self, seconds: float) -> None:
        """Wait up to `seconds` for the process to exit. If it has not exited by then, kill it."""
        if not self.ends_within(seconds):
            self.kill()

    def log_tail(self, lines: int = 15) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])


def die_with_parent() -> None:
    """Request SIGTERM from the Linux kernel when the parent process exits. Call this function in
    the child process."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)

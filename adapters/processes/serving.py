"""A process that handles requests one at a time, until its input ends.

The kernel kills the process if a single request exceeds its CPU time, even inside a library call.
The parent then starts another process.
"""

import argparse
import os
import resource
import signal
import sys
from collections.abc import Callable
from typing import BinaryIO, Final

from adapters.processes.framing import LENGTH_BYTES, framed

_MEMORY: Final = 1024 * 1024 * 1024
# Processes that serve other callers have a higher CPU priority.
_NICE: Final = 5


def serve(answer: Callable[[bytes], bytes], *, warm_up: Callable[[], object]) -> None:
    """Handle requests from standard input until the input ends. `warm_up`: loads the data that the
    first request needs, before that request's CPU time is measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--seconds", type=float, required=True, help=("CPU time for one request, in seconds.")
    )
    arguments = parser.parse_args()
    os.nice(_NICE)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    warm_up()
    while request := _read(sys.stdin.buffer):
        # SIGPROF keeps its default action, which terminates the process.
        signal.setitimer(signal.ITIMER_PROF, arguments.seconds)
        message = framed(answer(request))
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.stdout.buffer.write(message)
        sys.stdout.buffer.flush()


def _read(stream: BinaryIO) -> bytes:
    """Return the next request, or empty bytes at the end of the input."""
    length = stream.read(LENGTH_BYTES)
    return stream.read(int.from_bytes(length)) if len(length) == LENGTH_BYTES else b""

"""A process that normalizes large events, one after the other, until its input ends.

The kernel ends it when one event takes more processor time than it may, however deep in a library
the time is lost. Its worker sees the end, and begins another.
"""

import argparse
import os
import resource
import signal
import sys
from typing import BinaryIO, Final

from adapters.normalizing.inline import normalize_inline
from adapters.normalizing.wire import LENGTH_BYTES, Answer, Request, framed
from domain.core.errors import OverBudget
from domain.intake.event import InboundEvent

_MEMORY: Final = 1024 * 1024 * 1024
# Behind the events that somebody else waits for.
_NICE: Final = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, required=True, help="Processor time an event.")
    arguments = parser.parse_args()
    os.nice(_NICE)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    _warm_up()
    while request := _read(sys.stdin.buffer):
        # SIGPROF has its default action: the process ends.
        signal.setitimer(signal.ITIMER_PROF, arguments.seconds)
        answer = _answer(request).model_dump_json().encode()
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.stdout.buffer.write(framed(answer))
        sys.stdout.buffer.flush()


def _answer(request: bytes) -> Answer:
    try:
        asked = Request.model_validate_json(request)
        done = normalize_inline(
            asked.event,
            fallback_ticket_id=asked.fallback_ticket_id,
            authserv_ids=asked.authserv_ids,
        )
    except OverBudget:
        return Answer()
    except Exception as error:  # noqa: BLE001 - told by its type, and the process goes on
        return Answer(failed=type(error).__name__)
    return Answer(event=done.event, steps=done.steps)


def _warm_up() -> None:
    """Read the word lists before the first event, whose time they would take."""
    mail = InboundEvent(
        event_type="email.inbound",
        payload={"subject": "Order 1042", "html_body": "<p>Where is my order?</p>"},
    )
    normalize_inline(mail, fallback_ticket_id="", authserv_ids=())


def _read(stream: BinaryIO) -> bytes:
    """The next request; empty at the end of the input."""
    length = stream.read(LENGTH_BYTES)
    return stream.read(int.from_bytes(length)) if len(length) == LENGTH_BYTES else b""


if __name__ == "__main__":
    main()

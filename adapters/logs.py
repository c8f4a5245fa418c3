"""Structured logs: one JSON object a line, on standard error."""

import logging
import sys

import structlog
from structlog.tracebacks import ExceptionDictTransformer
from structlog.typing import EventDict


def configure_logs(level: str) -> None:
    """Send our logs and those of the libraries to one place, from `level` upwards."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(message)s")
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _without_values,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.getLevelNamesMapping().get(level.upper(), logging.INFO)
        ),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


_frames = ExceptionDictTransformer(show_locals=False, max_frames=30)


def _without_values(_: object, __: str, line: EventDict) -> EventDict:
    """Replace an exception by its types and places.

    Its values stay out of the log: locals, messages of PostgreSQL and of parsers quote what
    customers wrote and what callers hold.
    """
    raised = line.pop("exc_info", None)
    found = sys.exc_info() if raised is True else raised
    if isinstance(found, BaseException):
        found = (type(found), found, found.__traceback__)
    if isinstance(found, tuple) and found[0] is not None:
        line["exception"] = [
            {
                "type": stack["exc_type"],
                "frames": [f"{f['filename']}:{f['lineno']} {f['name']}" for f in stack["frames"]],
            }
            for stack in _frames(found)
        ]
    return line

"""Structured logs from our code and from libraries: one JSON object per line, on standard error."""

import logging
import re
import sys
import threading
from types import TracebackType
from typing import Final

import structlog
from structlog.typing import EventDict, Processor

from adapters.observability.redaction import Redactor
from domain.core.error_report import raised
from domain.core.names import parse_run_id

_log = structlog.get_logger("process")

# Matches the start of a printed exception because some libraries print exceptions with sensitive
# values. A match starts only at the beginning of a word, so that the search takes linear time.
_PRINTED_EXCEPTION: Final = re.compile(
    r"(?<!\w)\w*(?:Error|Exception|Interrupt|Exit)(?=\([\"'(\[{])"
)


def configure_logs(level: str, redactor: Redactor | None = None) -> None:
    """Send our logs, from `level`, and library logs, from WARNING, to standard error. Below
    WARNING, libraries log customer data."""
    lowest = logging.getLevelNamesMapping().get(level.upper(), logging.INFO)
    ending: list[Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _without_values,
        _masked_by(redactor or Redactor()),
    ]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            *ending,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(lowest),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[
                structlog.contextvars.merge_contextvars,
                structlog.stdlib.add_logger_name,
                structlog.stdlib.ExtraAdder(allow=["error_code"]),
                _run_of_workflow,
                _without_printed_exception,
                *ending,
            ],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    logging.basicConfig(level=max(lowest, logging.WARNING), handlers=[handler], force=True)
    logging.captureWarnings(capture=True)
    # Without this setting, a record that cannot be formatted would be printed with its values.
    logging.raiseExceptions = False
    sys.excepthook = _log_uncaught
    threading.excepthook = _log_uncaught_of_thread


def _masked_by(redactor: Redactor) -> Processor:
    def mask(_: object, __: str, line: EventDict) -> EventDict:
        # structlog needs the record itself, and removes it.
        kept = {name: line.pop(name) for name in ("_record", "_from_structlog") if name in line}
        return {**redactor.mapping(line), **kept}

    return mask


def _without_values(_: object, __: str, line: EventDict) -> EventDict:
    """In a log line, replace the exception with its types and code locations.

    The log omits local variables, and messages from PostgreSQL and parsers, because they quote
    customer text and callers' secrets.
    """
    given = line.pop("exc_info", None)
    line.pop("stack_info", None)
    found = sys.exc_info()[1] if given is True else given
    if isinstance(found, tuple):
        found = found[1]
    if isinstance(found, BaseException):
        line["exception"] = [
            {"type": one.type, "frames": [str(frame) for frame in one.frames]}
            for one in raised(found)
        ]
    return line


def _without_printed_exception(_: object, __: str, line: EventDict) -> EventDict:
    text = str(line["event"])
    found = _PRINTED_EXCEPTION.search(text)
    last = text.rfind(")") if found else -1
    if found and last > found.end():
        text = f"{text[: found.end()]}(…){text[last + 1 :]}"
    line["event"] = text
    return line


def _run_of_workflow(_: object, __: str, line: EventDict) -> EventDict:
    """Add a run's ids to the log lines from its workflow and activities. Without them, such a line
    contains only a workflow id."""
    for kind in ("temporal_workflow", "temporal_activity"):
        facts = getattr(line.get("_record"), kind, None)
        if isinstance(facts, dict):
            line.update(parse_run_id(str(facts.get("workflow_id", ""))))
    return line


def _log_uncaught(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, traceback)
        return
    _log.critical("uncaught error", exc_info=error)


def _log_uncaught_of_thread(args: threading.ExceptHookArgs) -> None:
    _log.critical("uncaught error", exc_info=args.exc_value)

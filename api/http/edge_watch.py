"""What operators see of the requests that the edge refuses before the application has them."""

import time
from typing import Final

import structlog
from fastapi import FastAPI

from api.resources import Resources
from domain.core.error_report import ErrorReport
from domain.core.errors import DomainError

PLACE: Final = "edge"
# A flood of connections is one piece of news, not thousands.
_REPORT_EVERY_S: Final = 10.0

_log = structlog.get_logger("api")


class EdgeWatch:
    """Logs and counts refusals, and reports those that are our fault, at most one in 10 s.

    It is made before the application's resources, and asked only while the application serves.
    """

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._reported_at: float | None = None

    def refused(self, error: DomainError, status: int, request_id: str) -> None:
        _log.info("request refused", request_id=request_id, code=error.code)
        resources: Resources = self._app.state.resources
        resources.metrics.refused(error.code)
        now = time.monotonic()
        known = self._reported_at is not None and now - self._reported_at < _REPORT_EVERY_S
        if status < 500 or known:
            return
        self._reported_at = now
        resources.tracker.report(
            ErrorReport(
                place=PLACE, code=error.code, created_at=resources.now(), request_id=request_id
            )
        )

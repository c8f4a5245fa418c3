"""Log, count and report the requests that the edge rejects before they reach the application."""

from typing import Final

import structlog
from fastapi import FastAPI

from api.resources import Resources
from domain.core.error_report import ErrorReport
from domain.core.errors import DomainError

PLACE: Final = "edge"

_log = structlog.get_logger("api")


class EdgeWatch:
    """A log and counter of rejected requests. Those with a 5xx status are reported as errors. It
    exists before the application's resources, and looks them up on a rejection."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app

    def refused(self, error: DomainError, status: int, request_id: str) -> None:
        _log.info("request rejected before routing", request_id=request_id, code=error.code)
        resources: Resources = self._app.state.resources
        resources.metrics.refused(error.code)
        if status < 500:
            return
        resources.tracker.report(
            ErrorReport(
                place=PLACE, code=error.code, created_at=resources.now(), request_id=request_id
            )
        )

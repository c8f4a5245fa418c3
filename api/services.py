"""What a request may use. Made once by the application, handed to routes by FastAPI."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from adapters.metrics import Metrics
from adapters.temporal import TemporalEngine
from api.readiness import Readiness
from domain.ports import Clock, ErrorTracker, NewId, Sealer
from settings import Settings
from store.database import Database


@dataclass(frozen=True, slots=True)
class Services:
    settings: Settings
    database: Database
    engine: TemporalEngine
    sealer: Sealer
    now: Clock
    new_id: NewId
    tracker: ErrorTracker
    metrics: Metrics
    readiness: Readiness


def _services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


ServicesDep = Annotated[Services, Depends(_services)]

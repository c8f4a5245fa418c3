"""What a request may use. Made once by the application, handed to routes by FastAPI."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from adapters.identity.session import SessionVerifier
from adapters.identity.session_key import SessionKeys
from adapters.observability.metrics import Metrics
from adapters.observability.questions import Questions
from adapters.temporal.client import TemporalEngine
from api.exports import Exports
from api.gateway_traffic import GatewayTraffic
from api.http.rate_limiter import RateLimiter
from domain.core.ids import TenantId
from domain.core.ports import Clock, ErrorTracker, NewId, Sealer
from services.core.gate import Gate
from services.core.unit_of_work import UnitsOfWork
from settings import Settings
from store.core.database import Database


@dataclass(frozen=True, slots=True)
class Resources:
    settings: Settings
    database: Database
    work: UnitsOfWork
    exports: Exports
    engine: TemporalEngine
    limiter: RateLimiter
    sealer: Sealer
    admissions: Gate[TenantId]
    gateway_traffic: GatewayTraffic
    sessions: SessionVerifier | None
    session_keys: SessionKeys | None
    now: Clock
    new_id: NewId
    tracker: ErrorTracker
    metrics: Metrics
    readiness: Questions[str]


async def _resources(request: Request) -> Resources:  # async: FastAPI runs others in threads
    resources: Resources = request.app.state.resources
    return resources


ResourcesDep = Annotated[Resources, Depends(_resources)]

"""What a request may use. Made once by the application, handed to routes by FastAPI."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from adapters.identity.session import SessionVerifier
from adapters.identity.session_key import SessionKeys
from adapters.observability.metrics import Metrics
from adapters.temporal.client import TemporalEngine
from api.exports import Exports
from api.gateway_traffic import GatewayTraffic
from api.http.rate_limiter import RateLimiter
from api.readiness import Readiness
from domain.core.ids import TenantId
from domain.core.ports import Clock, ErrorTracker, NewId, Sealer
from domain.integrations.ports import Connectors
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
    connectors: Connectors
    admissions: Gate[TenantId]
    gateway_traffic: GatewayTraffic
    sessions: SessionVerifier | None
    session_keys: SessionKeys | None
    now: Clock
    new_id: NewId
    tracker: ErrorTracker
    metrics: Metrics
    readiness: Readiness


async def _resources(request: Request) -> Resources:  # async: FastAPI runs others in threads
    resources: Resources = request.app.state.resources
    return resources


ResourcesDep = Annotated[Resources, Depends(_resources)]

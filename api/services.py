"""What a request may use. Made once by the application, handed to routes by FastAPI."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from adapters.identity import SessionVerifier
from adapters.identity_session_key import SessionKeys
from adapters.metrics import Metrics
from adapters.temporal import TemporalEngine
from api.exports import Exports
from api.gate import Gate
from api.gateway_traffic import GatewayTraffic
from api.rate_limiter import RateLimiter
from api.readiness import Readiness
from domain.ids import TenantId
from domain.ports import Clock, ErrorTracker, NewId, Sealer
from settings import Settings
from store.database import Database


@dataclass(frozen=True, slots=True)
class Services:
    settings: Settings
    database: Database
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
    readiness: Readiness


async def _services(request: Request) -> Services:  # async: FastAPI runs others in threads
    services: Services = request.app.state.services
    return services


ServicesDep = Annotated[Services, Depends(_services)]

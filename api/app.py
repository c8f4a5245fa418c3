"""The application: routes, error answers and the services they share."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from fastapi import FastAPI
from fastapi_offline import FastAPIOffline
from starlette.exceptions import HTTPException

from adapters.identity import session_keys, session_verifier
from adapters.seal import FernetSealer
from adapters.system import new_ulid, utc_now
from adapters.temporal import TemporalEngine, connect
from api.openapi import complete_document
from api.rate_limiter import build_limiter
from api.request_context import RequestContext, answer_domain_error, answer_http_error
from api.routers import gateway, health, identity, usage
from api.services import Services
from api.tenant_gate import TenantGate
from domain.errors import DomainError
from settings import Settings
from store.database import Database


def create_app(settings: Settings) -> FastAPI:
    """The API. It starts while Temporal or PostgreSQL are away, and says so until they are back."""
    app: FastAPI = FastAPIOffline(
        title="Customer-Support Agent Service",
        version="1.0",
        lifespan=_lifespan(settings),
        redirect_slashes=False,
    )
    app.add_exception_handler(DomainError, answer_domain_error)
    app.add_exception_handler(HTTPException, answer_http_error)
    app.add_middleware(RequestContext, new_id=new_ulid)
    app.state.dashboard_url = settings.dashboard_url
    app.include_router(gateway.router)
    app.include_router(usage.router)
    app.include_router(health.router)
    app.include_router(identity.router)
    complete_document(app)
    return app


def _lifespan(
    settings: Settings,
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        database = Database(settings.database_url)
        client = await connect(settings.temporal_address, settings.temporal_namespace, lazy=True)
        sessions = session_verifier(settings)
        app.state.services = Services(
            settings=settings,
            database=database,
            engine=TemporalEngine(client),
            limiter=build_limiter(settings, database),
            sealer=FernetSealer(settings.seal_key.get_secret_value()),
            gate=TenantGate(),
            sessions=sessions,
            session_keys=session_keys(settings),
            now=utc_now,
            new_id=new_ulid,
        )
        yield
        if sessions is not None:
            await sessions.close()
        await database.close()

    return lifespan

"""The application: routes, error answers and the resources they share."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final

from fastapi import FastAPI
from fastapi_offline import FastAPIOffline
from starlette.exceptions import HTTPException
from starlette.routing import Mount
from starlette.types import Receive, Scope, Send
from temporalio.client import Client

from adapters.connectors.http import open_client
from adapters.connectors.registry import ConnectorRegistry
from adapters.identity.client_documents import HttpClientDocuments
from adapters.identity.oidc import oidc_provider
from adapters.identity.session import session_keys, session_verifier
from adapters.mail.smtp_guard import SmtpGuard
from adapters.observability.error_tracker import error_tracker
from adapters.observability.loop_watch import watched_loop
from adapters.observability.metrics import Metrics
from adapters.observability.questions import OK, Check, readiness
from adapters.observability.redaction import Redactor
from adapters.observability.state import state_shown
from adapters.observability.tracing import Traces, traced
from adapters.payments.stripe_checkout import stripe_checkout
from adapters.seal import FernetSealer
from adapters.system import new_ulid, utc_now
from adapters.temporal.client import TemporalEngine
from adapters.temporal.connection import connect
from adapters.temporal.health import Work, temporal_answers, workers
from api.auth import key_reads
from api.dashboard import static
from api.dashboard.errors import page_domain_error, page_http_error
from api.dashboard.pages import Pages
from api.dashboard.routers import account as account_pages
from api.dashboard.routers import provider as provider_pages
from api.dashboard.routers import sign_in as sign_in_pages
from api.dashboard.routers.provider import CALLBACK
from api.exports import Exports
from api.gateway_traffic import GatewayTraffic
from api.http.draining_server import Draining
from api.http.json_body import MAX_COMING
from api.http.rate_limiter import build_limiter
from api.http.report_pace import ReportPace
from api.http.request_context import RequestContext
from api.http.traced_requests import TracedRequests
from api.installation import state_sources
from api.key_uses import written
from api.mcp import endpoint as mcp
from api.mcp.server import at_work, build_manager
from api.openapi import EDGE, complete_document
from api.resources import Resources
from api.routers.analytics import reports
from api.routers.audit import audit
from api.routers.billing import checkouts, credit_ledger, plan, stripe_webhook, usage, usage_history
from api.routers.content import knowledge, suggestions, templates
from api.routers.core import health
from api.routers.exports import export
from api.routers.identity import (
    account,
    authorize,
    invitations,
    mcp_token,
    oauth_metadata,
    oauth_register,
    sign_in,
)
from api.routers.intake import gateway
from api.routers.integrations import integrations, mail_sender
from api.routers.playbooks import file as playbook_file
from api.routers.playbooks import playbooks
from api.routers.playbooks import versions as playbook_versions
from api.routers.reviews import reviews
from api.routers.runs import runs
from api.routers.tenants import identity, keys, members
from api.routers.tenants import settings as client_settings
from api.routers.webhooks import deliveries as webhook_deliveries
from api.routers.webhooks import events as webhook_events
from api.routers.webhooks import subscriptions as webhooks
from api.routers.widget import chat as widget_chat
from api.routers.widget import config as widget_config
from api.routers.widget import messages as widget_messages
from api.routers.widget import preflight as widget_preflight
from api.routers.widget import seen as widget_seen
from api.routers.widget import verification as widget_verification
from api.routers.widget import widget_settings
from api.widget_access import widget_key_reads, widget_reads
from api.widget_streams import WidgetStreams
from domain.core.errors import DomainError
from services.core.crowd import Crowd
from services.core.unit_of_work import UnitsOfWork
from services.intake.door import Door
from services.tenants.key_uses import KeyUses
from settings import Settings
from store.core.database import Database
from store.core.error_reports import keep_in
from store.core.pools import REPORTS
from store.widget.session_listener import listening

_WIDGET: Final = (
    widget_chat,
    widget_config,
    widget_messages,
    widget_seen,
    widget_preflight,
    widget_verification,
    widget_settings,
)


def create_app(
    settings: Settings, metrics: Metrics | None = None, traces: Traces | None = None
) -> FastAPI:
    """The API. It starts while Temporal or PostgreSQL are away, and says so until they are back.

    `metrics`: its numbers, for a process that shows them. `traces`: where they are on.
    """
    app: FastAPI = FastAPIOffline(
        title="Customer-Support Agent Service",
        version="1.0",
        lifespan=_lifespan(settings, metrics or Metrics(), traces),
        redirect_slashes=False,
        responses=EDGE,
    )
    _serve_whole_files(app)
    app.add_exception_handler(DomainError, page_domain_error)
    app.add_exception_handler(HTTPException, page_http_error)
    app.add_middleware(RequestContext, new_id=new_ulid)
    if traces is not None:
        app.add_middleware(TracedRequests, traces=traces)
    app.state.dashboard_url = settings.server.dashboard_url
    app.state.draining = Draining()
    app.state.instance = settings.server.instance_id or new_ulid()
    app.include_router(gateway.router)
    app.include_router(usage.router)
    app.include_router(plan.router)
    app.include_router(credit_ledger.router)
    app.include_router(checkouts.router)
    app.include_router(usage_history.router)
    app.include_router(stripe_webhook.router)
    app.include_router(export.router)
    app.include_router(reviews.router)
    app.include_router(runs.router)
    app.include_router(reports.router)
    app.include_router(audit.router)
    app.include_router(webhooks.router)
    app.include_router(webhook_deliveries.router)
    app.include_router(webhook_events.router)
    app.include_router(client_settings.router)
    app.include_router(templates.router)
    app.include_router(knowledge.router)
    app.include_router(suggestions.router)
    for connected in (integrations, mail_sender):
        app.include_router(connected.router)
    app.include_router(keys.router)
    app.include_router(members.router)
    app.include_router(invitations.router)
    app.include_router(account.router)
    app.include_router(playbooks.router)
    app.include_router(playbook_versions.router)
    app.include_router(playbook_file.router)
    app.include_router(mcp.router)
    for widget in _WIDGET:
        app.include_router(widget.router)
    app.include_router(health.router)
    app.include_router(identity.router)
    app.include_router(sign_in.router)
    for pages in (sign_in_pages, provider_pages, account_pages):
        app.include_router(pages.router)
    app.include_router(static.router)
    app.include_router(oauth_metadata.router)
    app.include_router(oauth_register.router)
    app.include_router(authorize.router)
    app.include_router(mcp_token.router)
    complete_document(app)
    return app


def _serve_whole_files(app: FastAPI) -> None:
    """Ignore Range for the documents' files, as HTTP allows: Starlette answers a bad one in text,
    past our table of errors."""
    (files,) = (route for route in app.routes if isinstance(route, Mount))
    inner = files.app

    async def whole(scope: Scope, receive: Receive, send: Send) -> None:
        headers = [header for header in scope["headers"] if header[0] != b"range"]
        await inner({**scope, "headers": headers}, receive, send)

    files.app = whole


def _lifespan(
    settings: Settings, metrics: Metrics, traces: Traces | None
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        database = Database(settings.database.url)
        # Reports have a connection of their own: requests do not wait for one behind them.
        reports = Database(settings.database.url, pool_size=REPORTS)
        exports = Exports(settings.database.url)
        client = traced(await connect(settings.temporal, lazy=True), traces)
        engine = TemporalEngine(client)
        sessions = session_verifier(settings.identity)
        sealer = FernetSealer(settings.seal.key.get_secret_value())
        outside = open_client()
        callback = settings.server.origin + CALLBACK
        provider = oidc_provider(settings.identity, outside, callback, time.monotonic)
        key_uses = KeyUses(database)
        ready = readiness(_checks(database, client))
        sources = state_sources(reports, client, utc_now)
        streams = WidgetStreams()
        app.state.draining.endless.append(streams.end)
        metrics.watch_pool("requests", database.use)
        metrics.watch_pool("reports", reports.use)
        metrics.watch_pool("exports", exports.database.use)
        keep = keep_in(reports, new_ulid)
        async with error_tracker(
            settings.watch.dsn, keep, Redactor.of(settings), metrics
        ) as tracker:
            app.state.resources = Resources(
                settings=settings,
                database=database,
                work=UnitsOfWork(database, engine, utc_now, new_ulid),
                exports=exports,
                engine=engine,
                limiter=build_limiter(settings.limits, database),
                sealer=sealer,
                connectors=ConnectorRegistry(
                    sealer,
                    outside,
                    allow_loopback=settings.integrations.allow_loopback_targets,
                ),
                mail_servers=SmtpGuard(allow_private=settings.webhooks.allow_private_addresses),
                payments=stripe_checkout(settings.payments, outside, settings.server.dashboard_url),
                door=Door(),
                bodies=Crowd(at_most=MAX_COMING),
                keys=key_reads(database),
                widget_keys=widget_key_reads(database, utc_now),
                widgets=widget_reads(database),
                key_uses=key_uses,
                gateway_traffic=GatewayTraffic(),
                sessions=sessions,
                session_keys=session_keys(settings.identity),
                provider=provider,
                now=utc_now,
                new_id=new_ulid,
                tracker=tracker,
                metrics=metrics,
                readiness=ready,
                report_pace=ReportPace(),
                pages=Pages(),
                client_documents=HttpClientDocuments(
                    utc_now,
                    allow_private=settings.webhooks.allow_private_addresses,
                    ca_file=settings.webhooks.ca_file,
                ),
                widget_streams=streams,
            )
            app.state.mcp = build_manager(settings.server)
            with watched_loop(metrics), state_shown(metrics, sources) as state:
                async with (
                    written(key_uses),
                    at_work(app.state.mcp),
                    listening(settings.database.url, streams.wake),
                ):
                    yield
        if sessions is not None:
            await sessions.close()
        if provider is not None:
            await provider.close()
        await outside.aclose()
        await ready.close()
        await state.close()
        await reports.close()
        await exports.database.close()
        await database.close()

    return lifespan


def _checks(database: Database, client: Client) -> dict[str, Check]:
    """What `/readyz` asks."""

    async def database_serves() -> str:
        await database.ping()
        return OK

    async def temporal_serves() -> str:
        return OK if await temporal_answers(client) else "unavailable"

    async def somebody_works() -> str:
        there = [await workers(client, work, utc_now()) for work in Work]
        return OK if all(there) else "none"

    return {"database": database_serves, "temporal": temporal_serves, "workers": somebody_works}

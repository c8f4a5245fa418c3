"""The FastAPI application, assembled from its routers, middleware and error handlers."""

from functools import cache
from typing import Final

from fastapi import APIRouter, FastAPI
from fastapi_offline import FastAPIOffline
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Mount
from starlette.types import Receive, Scope, Send

from adapters.observability.metrics import Metrics
from adapters.observability.tracing import Traces
from adapters.system import new_ulid
from api.dashboard.errors import page_domain_error, page_http_error
from api.dashboard.every_page import PAGE_ROUTERS
from api.dashboard.redirect import PageRedirect, redirected
from api.http.cpu_meter import CpuMeter
from api.http.draining_server import Draining
from api.http.request_context import RequestContext
from api.http.traced_requests import TracedRequests
from api.http.unknown_paths import UnknownPaths
from api.lifespan import resources_held
from api.mcp import endpoint as mcp
from api.openapi import EDGE
from api.openapi_document import serve_document
from api.routers.analytics import insight, reports
from api.routers.audit import audit
from api.routers.billing import checkouts, credit_ledger, plan, stripe_webhook, usage, usage_history
from api.routers.cases import case_file, case_runs, cases, content_previews
from api.routers.content import knowledge, site_imports, suggestions, templates
from api.routers.copilot import copilot_chat
from api.routers.core import guide, health
from api.routers.customers import customers
from api.routers.exports import export
from api.routers.identity import (
    account,
    authorize,
    invitations,
    mcp_token,
    oauth_metadata,
    oauth_register,
    received_invitations,
    sign_in,
)
from api.routers.inbound import data_requests, inbound_endpoints, polls
from api.routers.inbound import log as inbound_log
from api.routers.inbound import receive as inbound_receive
from api.routers.intake import attachments, gateway
from api.routers.integrations import integrations, mail_sender
from api.routers.learning import corrections, labelled_examples, playbook_reports
from api.routers.playbooks import file as playbook_file
from api.routers.playbooks import playbooks, publish_gate
from api.routers.playbooks import versions as playbook_versions
from api.routers.ratings import widget_rating
from api.routers.reviews import inbox, notifications, reviews
from api.routers.runs import conversations, reply_files, runs
from api.routers.simulation import replays, simulator
from api.routers.tenants import automation, business_hours, identity, keys, loosenings, members
from api.routers.tenants import settings as client_settings
from api.routers.webhooks import deliveries as webhook_deliveries
from api.routers.webhooks import events as webhook_events
from api.routers.webhooks import subscriptions as webhooks
from api.routers.widget import chat as widget_chat
from api.routers.widget import config as widget_config
from api.routers.widget import messages as widget_messages
from api.routers.widget import preflight as widget_preflight
from api.routers.widget import reply_attachments, widget_settings
from api.routers.widget import script as widget_script
from api.routers.widget import seen as widget_seen
from api.routers.widget import verification as widget_verification
from domain.core.errors import DomainError
from settings import Settings

# The OpenAPI document lists the routers' operations in this order.
_ROUTERS: Final = tuple(
    described.router
    for described in (
        gateway,
        usage,
        plan,
        credit_ledger,
        checkouts,
        usage_history,
        stripe_webhook,
        export,
        inbox,
        reviews,
        notifications,
        corrections,
        labelled_examples,
        simulator,
        runs,
        conversations,
        reply_files,
        customers,
        attachments,
        reports,
        insight,
        replays,
        audit,
        webhooks,
        webhook_deliveries,
        webhook_events,
        inbound_log,
        data_requests,
        polls,
        client_settings,
        business_hours,
        automation,
        loosenings,
        templates,
        knowledge,
        suggestions,
        site_imports,
        integrations,
        mail_sender,
        inbound_endpoints,
        inbound_receive,
        keys,
        members,
        invitations,
        received_invitations,
        account,
        playbooks,
        cases,
        case_runs,
        content_previews,
        case_file,
        playbook_versions,
        publish_gate,
        playbook_file,
        playbook_reports,
        mcp,
        copilot_chat,
        widget_chat,
        widget_config,
        widget_messages,
        reply_attachments,
        widget_seen,
        widget_rating,
        widget_verification,
        widget_preflight,
        widget_script,
        widget_settings,
        health,
        guide,
        identity,
        sign_in,
        oauth_metadata,
        oauth_register,
        authorize,
        mcp_token,
    )
)


def create_app(
    settings: Settings, metrics: Metrics | None = None, traces: Traces | None = None
) -> FastAPI:
    """Return the API application, which starts without Temporal and PostgreSQL but is not ready
    until both are available.

    `metrics` and `traces` are set if the process exposes metrics or traces.
    """
    app: FastAPI = FastAPIOffline(
        title=settings.server.service_name,
        version="1.0",
        lifespan=resources_held(settings, metrics or Metrics(), traces),
        redirect_slashes=False,
        responses=EDGE,
    )
    _serve_whole_files(app)
    app.add_exception_handler(DomainError, page_domain_error)
    app.add_exception_handler(HTTPException, page_http_error)
    app.add_exception_handler(PageRedirect, redirected)
    app.add_middleware(CpuMeter)
    app.add_middleware(RequestContext, new_id=new_ulid)
    if traces is not None:
        app.add_middleware(TracedRequests, traces=traces)
    app.state.dashboard_url = settings.server.dashboard
    app.state.draining = Draining()
    app.state.instance = settings.server.instance_id or new_ulid()
    app.router.routes.extend(_routes())
    serve_document(app)
    app.router.routes.insert(0, UnknownPaths(app))
    return app


@cache
def _routes() -> tuple[BaseRoute, ...]:
    """Return all routes, built once per process. FastAPI prepares each at its first request, in
    half a second of CPU in total, and other applications in the process share the result."""
    every = APIRouter(redirect_slashes=False, responses=EDGE)
    for router in (*_ROUTERS, *PAGE_ROUTERS):
        every.include_router(router)
    return tuple(every.routes)


def _serve_whole_files(app: FastAPI) -> None:
    """Make static files ignore the Range header, as HTTP allows. For an invalid range, Starlette
    would respond in plain text, bypassing our error table."""
    (files,) = (route for route in app.routes if isinstance(route, Mount))
    inner = files.app

    async def whole(scope: Scope, receive: Receive, send: Send) -> None:
        headers = [header for header in scope["headers"] if header[0] != b"range"]
        await inner({**scope, "headers": headers}, receive, send)

    files.app = whole

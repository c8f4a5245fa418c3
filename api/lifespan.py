"""Open and close the resources shared by the API's routes."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final

from fastapi import FastAPI
from temporalio.client import Client

from adapters.brain.embeddings import embedding_model
from adapters.brain.identity import names_model
from adapters.brain.model_budget import model_budget
from adapters.brain.question_clusters import QuestionReader
from adapters.connectors.http import open_client
from adapters.connectors.registry import ConnectorRegistry
from adapters.copilot.document_files import document_index
from adapters.copilot.talker_choice import talker_from
from adapters.demo.folder import DemoShopFolder
from adapters.documents.document_pool import DocumentPool
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
from api.dashboard.formats import Formats
from api.dashboard.pages import Pages
from api.dashboard.routers.identity.provider_sign_in import CALLBACK
from api.exports import Exports
from api.gateway_traffic import GatewayTraffic
from api.guide import Guide
from api.http.json_body import MAX_COMING, MAX_UPLOADS, MAX_UPLOADS_OF_ONE
from api.http.rate_limiter import build_limiter
from api.inbound_entry_limiter import InboundEntryLimiter
from api.installation import state_sources
from api.key_uses import written
from api.mcp.server import at_work, build_manager
from api.resources import Resources
from api.widget_access import payer_reads, widget_key_reads, widget_reads
from api.widget_script.bundle import WidgetScript
from api.widget_streams import WidgetStreams
from services.analytics.gaps import GapReading
from services.content.search_turns import MessageSearchTurns, search_turns
from services.copilot.copilot import Copilot, CopilotSetup
from services.core.concurrent_callers import ConcurrentCallers
from services.core.fair_documents import FairDocuments
from services.core.fair_room import FairRoom
from services.core.fair_slots import FairSlots
from services.core.fair_turns import FairTurns
from services.core.unit_of_work import UnitsOfWork
from services.intake.entry_limiter import EntryLimiter
from services.intake.file_inspector import FileInspector
from services.tenants.key_uses import KeyUses
from settings import Settings
from settings.service import IntegrationSettings
from store.core.database import Database
from store.core.error_reports import keep_in
from store.core.pools import REPORTS
from store.exports.payer import has_plan
from store.widget.session_listener import listening

# Maximum seconds that a dry run or simulation may wait before it starts. Enough time must remain
# until the response deadline to produce the result.
_DRY_RUN_PATIENCE_S: Final = 15.0
_SIMULATION_PATIENCE_S: Final = 10.0


def resources_held(
    settings: Settings, metrics: Metrics, traces: Traces | None
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """Return the app's lifespan, which opens the app's resources and closes them when the process
    ends."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        database = Database(settings.database.url)
        # Error reports use a separate connection pool, so that they never wait for requests.
        reports = Database(settings.database.url, pool_size=REPORTS)
        exports = Exports(settings.database.url)
        client = traced(await connect(settings.temporal, lazy=True), traces)
        engine = TemporalEngine(client, dashboard=settings.server.origin)
        sessions = session_verifier(settings.identity)
        sealer = FernetSealer(settings.seal.key.get_secret_value())
        outside = open_client(settings.server.service)
        callback = settings.server.origin + CALLBACK
        provider = oidc_provider(settings.identity, outside, callback, time.monotonic)
        key_uses = KeyUses(database)
        searches = search_turns()
        message_searches = MessageSearchTurns(
            searches, pays=lambda tenant: has_plan(database, tenant, utc_now())
        )
        gaps = GapReading(QuestionReader(), searches)
        inbound = InboundEntryLimiter.of(database, utc_now)
        documents, files = DocumentPool(), FileInspector()
        ready = readiness(_checks(database, client))
        sources = state_sources(reports, client, utc_now)
        streams = WidgetStreams()
        app.state.draining.endless.append(streams.end)
        metrics.watch_pool("requests", database.use)
        metrics.watch_pool("reports", reports.use)
        metrics.watch_pool("exports", exports.database.use)
        keep = keep_in(reports)
        watch, redactor = settings.watch, Redactor.of(settings)
        async with error_tracker(watch.dsn, watch.error_spool, keep, redactor, metrics) as tracker:
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
                demo_shops=_demo_shops(settings.integrations),
                mail_servers=SmtpGuard(allow_private=settings.webhooks.allow_private_addresses),
                payments=stripe_checkout(settings.payments, outside, settings.server.dashboard),
                entry_limiter=EntryLimiter(),
                bodies=ConcurrentCallers(at_most=MAX_COMING),
                uploads=FairRoom(in_all=MAX_UPLOADS, of_one=MAX_UPLOADS_OF_ONE),
                documents=FairDocuments(
                    documents, pays=lambda tenant: has_plan(database, tenant, utc_now())
                ),
                files=files,
                simulations=FairSlots(8, unpaid=4, patience_s=_SIMULATION_PATIENCE_S),
                dry_runs=FairTurns(patience_s=_DRY_RUN_PATIENCE_S, most_of_one=8, most=64),
                dry_run_slots=FairSlots(8, unpaid=2, patience_s=_DRY_RUN_PATIENCE_S),
                searches=searches,
                message_searches=message_searches,
                keys=key_reads(database),
                widget_keys=widget_key_reads(database, utc_now),
                widgets=widget_reads(database),
                payers=payer_reads(database, utc_now),
                key_uses=key_uses,
                gateway_traffic=GatewayTraffic(),
                sessions=sessions,
                session_keys=session_keys(settings.identity),
                provider=provider,
                now=utc_now,
                new_id=new_ulid,
                model=names_model(settings.brain, settings.embedding),
                knowledge_search="meaning" if embedding_model(settings.embedding) else "words",
                tracker=tracker,
                metrics=metrics,
                readiness=ready,
                pages=Pages(settings.server.service),
                guide=Guide(),
                widget_script=WidgetScript.read(),
                client_documents=HttpClientDocuments(
                    utc_now,
                    allow_private=settings.webhooks.allow_private_addresses,
                    ca_file=settings.webhooks.ca_file,
                ),
                widget_streams=streams,
                inbound=inbound,
                copilot=copilot_of(settings, database, gaps, message_searches),
                gaps=gaps,
            )
            app.state.mcp = build_manager(settings.server)
            with watched_loop(metrics), state_shown(metrics, sources) as state:
                async with (
                    written(key_uses),
                    inbound.counting(),
                    at_work(app.state.mcp),
                    listening(settings.database.url, streams.wake),
                ):
                    yield
        if sessions is not None:
            await sessions.close()
        if provider is not None:
            await provider.close()
        await outside.aclose()
        await documents.close()
        files.close()
        await ready.close()
        await state.close()
        await reports.close()
        await exports.database.close()
        await database.close()

    return lifespan


def copilot_of(
    settings: Settings, database: Database, gaps: GapReading, searches: MessageSearchTurns
) -> Copilot:
    """Return the copilot. Raises InvalidInput if the configured language model cannot be used."""
    setup = CopilotSetup(
        documents=document_index(),
        gaps=gaps,
        message_searches=searches,
        formats=Formats,
        dashboard_url=settings.server.dashboard,
        talker=talker_from(settings.brain),
        budget=model_budget(settings.brain),
    )
    return Copilot(setup, database, utc_now)


def _demo_shops(settings: IntegrationSettings) -> DemoShopFolder | None:
    if settings.demo_shops is None or not settings.allow_loopback_targets:
        return None
    return DemoShopFolder(settings.demo_shops)


def _checks(database: Database, client: Client) -> dict[str, Check]:
    """Return the checks that `/readyz` runs."""

    async def database_serves() -> str:
        await database.ping()
        return OK

    async def temporal_serves() -> str:
        return OK if await temporal_answers(client) else "unavailable"

    async def somebody_works() -> str:
        there = [await workers(client, work, utc_now()) for work in Work]
        return OK if all(there) else "none"

    return {"database": database_serves, "temporal": temporal_serves, "workers": somebody_works}

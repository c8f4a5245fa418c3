"""The engine in this process: the real application, workers, database and Temporal."""

import atexit
import dataclasses
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import cache
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from fastapi import FastAPI
from sqlalchemy.ext.asyncio import AsyncConnection
from temporalio.client import Client, WorkflowHandle

from activities.agent.brain_budget import BrainBudget
from activities.agent.think import Think
from adapters.connectors.http import open_client
from adapters.connectors.registry import ConnectorRegistry
from adapters.identity.session_key import new_session_key
from adapters.normalizing.pool import NormalizerPool
from adapters.observability.metrics import Metrics
from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from adapters.temporal.client import TemporalEngine
from adapters.temporal.connection import connect
from api.app import create_app
from api.gateway_traffic import GatewayTraffic
from api.http.rate_limiter import build_limiter
from domain.agent.brain import Brain
from domain.agent.brain_choice import Brains
from domain.agent.safety.net import SafetyGrammar
from domain.core import names
from domain.core.errors import EngineUnavailable
from domain.reviews.escalation import Choice, Decision
from domain.runs.conversation import ANSWERS_WITHOUT_PERSON
from services.intake.entry_limiter import EntryLimiter
from settings import Settings, load_settings
from store.core.database import Database
from store.reviews.escalations import EscalationRepository, client_of
from store.reviews.tables import escalation_tickets
from tests.support.core.rows import only_row, rows
from tests.support.core.waiting import eventually
from tests.support.servers.nowhere import no_way_out
from tests.support.servers.stripe_account import (
    SECRET_KEY,
    WEBHOOK_SECRET,
    StripeAccount,
    stripe_account,
)
from tests.support.tenants.shop import ORDER_QUESTION, Shop, with_sender
from workers import webhooks as webhook_worker
from workers.engine import build_worker
from workers.engine_activities import EngineActivities, build_activities

GATEWAY = "/api/engine/gateway"
ENGINE_SECRET = "the engine secret of all the tests"


@dataclass
class LiveEngine:
    """The engine under test. A test may change `activities` and `deliveries` before it starts a
    worker."""

    settings: Settings
    database: Database
    worker_database: Database
    client: Client
    engine: TemporalEngine
    activities: EngineActivities
    deliveries: webhook_worker.WebhookActivities
    metrics: Metrics
    app: FastAPI
    http: httpx.AsyncClient
    stripe: StripeAccount

    async def post(self, shop: Shop, **body: object) -> httpx.Response:
        return await self.http.post(
            GATEWAY, json={"client_id": shop.client_id, **body}, headers=shop.headers
        )

    def run_of(self, shop: Shop, event_id: str) -> WorkflowHandle[Any, Any]:
        return self.client.get_workflow_handle(names.process_event_id(shop.client_id, event_id))

    @asynccontextmanager
    async def working(self, *, max_cached_workflows: int = 1000) -> AsyncIterator[None]:
        """Run a worker with the sandbox during the block."""
        async with build_worker(
            self.client,
            self.activities,
            sandbox=True,
            tracker=self.app.state.resources.tracker,
            max_cached_workflows=max_cached_workflows,
        ):
            yield

    @asynccontextmanager
    async def delivering(self, *, max_cached_workflows: int = 1000) -> AsyncIterator[None]:
        """Run a webhook worker with the sandbox during the block."""
        async with webhook_worker.at_work(
            self.client,
            self.deliveries,
            sandbox=True,
            tracker=self.app.state.resources.tracker,
            max_cached_workflows=max_cached_workflows,
        ):
            yield

    async def review_of(self, run_id: str, *, round_: int) -> dict[str, Any]:
        """Wait for the run's review in that round, and return the review."""

        async def found() -> dict[str, Any] | None:
            waiting = await rows(self.database, escalation_tickets, run_id=run_id, round=round_)
            return waiting[0] if waiting else None

        return await eventually(found)

    async def decide(
        self,
        escalation_id: str,
        decision: Decision,
        text: str | None = None,
        *,
        actor: str = "tester",
        seen_event: str | None = None,
        seen_revision: int | None = None,
        signal: bool = True,
    ) -> None:
        """Decide as a reviewer: commit, then signal. A reviewer who saw a later message also saw
        the latest draft and plan, unless `seen_revision` differs."""
        seen = None
        if seen_event is not None and seen_revision is None:
            review = await only_row(self.database, escalation_tickets, id=escalation_id)
            seen, seen_revision = review["edited_text"], review["revision"]
        async with self.database.service() as connection:
            tenant = await client_of(connection, escalation_id)
            outcome = await EscalationRepository(connection, tenant).decide(
                escalation_id,
                Choice(
                    decision,
                    actor,
                    text=text,
                    seen=seen,
                    seen_event=seen_event,
                    seen_revision=seen_revision,
                ),
                utc_now(),
            )
        if signal and outcome.ref is not None:
            await self.engine.wake(outcome.ref, escalation_id)


async def ask_by_mail(engine: LiveEngine, shop: Shop) -> httpx.Response:
    """Ask a question that is answered by email, so that execute is a separate activity. The shop
    gets a verified sender."""
    await with_sender(engine.database, shop)
    return await engine.post(
        shop, event_type="email.inbound", customer_email="a@b.example", message=ORDER_QUESTION
    )


def think_with(
    database: Database,
    brain: Brain,
    *,
    sees_images: bool = False,
    answers_without_person: int = ANSWERS_WITHOUT_PERSON,
) -> Think:
    """Return the thinking step with a brain from the test."""
    brain_budget = BrainBudget(database, Brains(embedded=brain, sees_images=sees_images), utc_now)
    return Think(
        database,
        brain_budget,
        None,
        utc_now,
        new_ulid,
        net=SafetyGrammar(),
        sealer=FernetSealer(new_seal_key()),
        answers_without_person=answers_without_person,
    )


@cache
def error_spool() -> str:
    """Return the error spool of the engines in this process. The spool is deleted when the process
    ends."""
    folder = TemporaryDirectory(prefix="engine-errors-")
    atexit.register(folder.cleanup)
    return folder.name


def settings_of(database_url: str, temporal_address: str, **more: object) -> Settings:
    """Return the settings. `more`: by environment variable names in lower case."""
    given = {
        "database_url": database_url,
        "temporal_address": temporal_address,
        "seal_key": new_seal_key(),
        "session_key": new_session_key(),
        "engine_secret": ENGINE_SECRET,
        "error_spool": error_spool(),
        **more,
    }
    return load_settings(**{name.upper(): value for name, value in given.items()})


@asynccontextmanager
async def live_engine(
    database_url: str, address: str, namespace: str, *, lazy: bool = False, **settings: object
) -> AsyncIterator[LiveEngine]:
    """Yield the engine without a worker, which `working()` starts. `lazy` allows Temporal to be
    unavailable."""
    with stripe_account() as stripe:
        account = {
            "stripe_secret_key": SECRET_KEY,
            "stripe_webhook_secret": WEBHOOK_SECRET,
            "stripe_api_url": stripe.url,
            "price_enterprise": "499.00",
            # Tests create shops all the time, and each of them counts.
            "accounts_an_hour": 1_000_000,
            **settings,
        }
        chosen = settings_of(database_url, address, temporal_namespace=namespace, **account)
        async with _live(chosen, stripe, lazy=lazy) as engine:
            yield engine


@asynccontextmanager
async def _live(
    chosen: Settings, stripe: StripeAccount, *, lazy: bool
) -> AsyncIterator[LiveEngine]:
    database, worker_database = Database(chosen.database.url), Database(chosen.database.url)
    client = await connect(chosen.temporal, lazy=lazy)
    sender, metrics = webhook_worker.build_sender(chosen.webhooks), Metrics()
    app, normalizer = create_app(chosen), NormalizerPool()
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app, raise_app_exceptions=False),
            base_url="http://engine",
            timeout=40,
        ) as http,
        open_client() as outside,
    ):
        resources = app.state.resources
        app.state.resources = dataclasses.replace(
            resources,
            connectors=ConnectorRegistry(resources.sealer, no_way_out(), allow_loopback=True),
        )
        activities = build_activities(chosen, worker_database, client, outside, normalizer)
        yield LiveEngine(
            settings=chosen,
            database=database,
            worker_database=worker_database,
            client=client,
            engine=TemporalEngine(client, dashboard=chosen.server.origin),
            activities=activities,
            deliveries=webhook_worker.build_activities(chosen, worker_database, sender, metrics),
            metrics=metrics,
            app=app,
            http=http,
            stripe=stripe,
        )
    await activities.aclose()
    await normalizer.close()
    await database.close()
    await worker_database.close()


@contextmanager
def as_if_new(engine: LiveEngine) -> Iterator[LiveEngine]:
    """Reset a shared engine for one test. Its limits and gates are new, and its clock is reset."""
    resources = engine.app.state.resources
    engine.app.state.resources = dataclasses.replace(
        resources,
        limiter=build_limiter(engine.settings.limits, resources.database),
        entry_limiter=EntryLimiter(),
        gateway_traffic=GatewayTraffic(),
    )
    try:
        yield dataclasses.replace(engine)
    finally:
        engine.app.state.resources = resources


@contextmanager
def database_away(database: Database) -> Iterator[Callable[[int], Awaitable[bool]]]:
    """Reject every transaction on `database`. Yield a function that returns whether at least that
    many transactions were rejected."""
    refused = 0

    @asynccontextmanager
    async def refuse(_patience_s: float = 0.0, **_: object) -> AsyncIterator[AsyncConnection]:
        nonlocal refused
        refused += 1
        raise EngineUnavailable("away")
        yield

    async def at_least(number: int) -> bool:
        return refused >= number

    object.__setattr__(database, "_connection", refuse)
    try:
        yield at_least
    finally:
        object.__delattr__(database, "_connection")

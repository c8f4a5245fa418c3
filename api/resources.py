"""Resources shared by all requests. The application creates them once, and FastAPI injects them
into routes."""

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Depends, Request

from adapters.identity.oidc import OidcProvider
from adapters.identity.session import SessionVerifier
from adapters.identity.session_key import SessionKeys
from adapters.observability.metrics import Metrics
from adapters.observability.questions import Questions
from adapters.temporal.client import TemporalEngine
from api.dashboard.pages import Pages
from api.exports import Exports
from api.gateway_traffic import GatewayTraffic
from api.guide import Guide
from api.http.rate_limiter import RateLimiter
from api.inbound_entry_limiter import InboundEntryLimiter
from api.widget_script.bundle import WidgetScript
from api.widget_streams import WidgetStreams
from domain.billing.ports import Payments
from domain.cases.digest import NamesModel
from domain.core.ids import TenantId
from domain.core.ports import Clock, ErrorTracker, NewId, Sealer
from domain.identity.ports import ClientDocuments
from domain.integrations.ports import Connectors, DemoShops, MailServers
from domain.tenants.api_key import KeyMaterial
from domain.widget.widget import Widget
from services.analytics.gaps import GapReading
from services.content.search_turns import MessageSearchTurns
from services.copilot.copilot import Copilot
from services.core.concurrent_callers import ConcurrentCallers
from services.core.fair_documents import FairDocuments
from services.core.fair_room import FairRoom
from services.core.fair_slots import FairSlots
from services.core.fair_turns import FairTurns
from services.core.shared_reads import SharedReads
from services.core.unit_of_work import UnitsOfWork
from services.intake.entry_limiter import EntryLimiter
from services.intake.file_inspector import FileInspector
from services.tenants.key_uses import KeyUses
from settings import Settings
from store.core.database import Database
from store.tenants.keys import ActiveKey


@dataclass(frozen=True, slots=True)
class Resources:
    """The shared resources of a process.

    - `bodies`, `uploads`: the memory for request bodies, and for those with files.
    - `keys`, `widget_keys`: look up presented keys.
    - `provider`: the external identity provider, or None.
    - `demo_shops`: None if members may not connect demo shops.
    - `knowledge_search`: "words" without a sentence encoder.
    """

    settings: Settings
    database: Database
    work: UnitsOfWork
    exports: Exports
    engine: TemporalEngine
    limiter: RateLimiter
    sealer: Sealer
    connectors: Connectors
    demo_shops: DemoShops | None
    mail_servers: MailServers
    payments: Payments | None
    entry_limiter: EntryLimiter
    bodies: ConcurrentCallers[str]
    uploads: FairRoom
    documents: FairDocuments
    files: FileInspector
    dry_runs: FairTurns
    dry_run_slots: FairSlots
    searches: FairTurns
    message_searches: MessageSearchTurns
    simulations: FairSlots
    keys: SharedReads[KeyMaterial, ActiveKey | None]
    widget_keys: SharedReads[str, TenantId | None]
    widgets: SharedReads[TenantId, Widget]
    payers: SharedReads[TenantId, bool]
    key_uses: KeyUses
    gateway_traffic: GatewayTraffic
    sessions: SessionVerifier | None
    session_keys: SessionKeys | None
    provider: OidcProvider | None
    now: Clock
    new_id: NewId
    model: NamesModel
    knowledge_search: Literal["meaning", "words"]
    tracker: ErrorTracker
    metrics: Metrics
    readiness: Questions[str]
    pages: Pages
    guide: Guide
    widget_script: WidgetScript
    client_documents: ClientDocuments
    widget_streams: WidgetStreams
    inbound: InboundEntryLimiter
    copilot: Copilot
    gaps: GapReading


async def _resources(
    request: Request,
) -> Resources:  # Async, because FastAPI runs synchronous functions in threads.
    resources: Resources = request.app.state.resources
    return resources


ResourcesDep = Annotated[Resources, Depends(_resources)]

"""A client with at least one row in every tenant table, created by the product's code."""

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from adapters.system import new_ulid, utc_now
from domain.agent.escalation_reason import EscalationReason
from domain.agent.model_fault import ModelFault
from domain.agent.plan import ActionKind
from domain.audit.entry import Note
from domain.billing.checkout import Checkout
from domain.billing.quota import QuotaStanding
from domain.content.site_import import SiteImport, SiteImportState, SiteScope
from domain.content.suggestion import PageSource, SuggestedEntry, Suggestion
from domain.core.contracts import RunRef
from domain.core.money import Money
from domain.core.period import period_of
from domain.identity.mailed_code import CodePlace
from domain.intake.event import Channel, UnifiedEvent
from domain.integrations.integration import Integration
from domain.integrations.providers import Provider
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.webhooks.samples import sample
from domain.widget.widget import WidgetChange
from services.intake.admission import Admitted
from store.agent.model_alarms import ModelAlarms
from store.agent.model_calls import ModelCallRepository
from store.analytics.tables import churn_predictions, metrics_daily
from store.audit.audit_log import AuditLog
from store.audit.tables import audit_anchors
from store.billing.checkouts import CheckoutRepository
from store.billing.usage_ledger import UsageLedger
from store.content.content import ContentRepository
from store.content.entry_sources import EntrySourceRepository
from store.content.site_imports import SiteImportRepository
from store.content.suggestions import SuggestionRepository
from store.content.tables import knowledge_chunks, knowledge_entries
from store.core.database import Database
from store.customers.customer_index import CustomerIndex
from store.dashboard.tables import form_posts, home_visits, page_drafts
from store.exports.tables import automation_events
from store.identity.mailed_codes import MailedCodeRepository, NewMailedCode
from store.identity.tables import invitations, oauth_codes
from store.intake.events import EventRepository
from store.intake.idempotency import IdempotencyKey
from store.integrations.integrations import IntegrationRepository
from store.integrations.tables import mail_senders
from store.metadata import metadata
from store.reviews.escalations import EscalationRepository
from store.reviews.tables import (
    inbox_views,
    member_mails,
    member_notices,
    member_notifications,
)
from store.runs.action_ledger import ActionLedger, Effect, LedgerPlace
from store.runs.conversations import ConversationRepository
from store.runs.sentiment import SentimentRepository
from store.runs.tables import brain_costs, customer_memories
from store.tenants.accounts import AccountRepository
from store.tenants.tables import client_settings, loosenings
from store.webhooks.outbox import Outbox
from store.webhooks.subscriptions import WebhookChange, WebhookRepository
from store.widget.visitor_sessions import WidgetSessionRepository
from store.widget.widgets import WidgetRepository
from tests.support.inbound.stored import fill_the_hub
from tests.support.intake.admission import try_to_admit
from tests.support.learning.filled import fill_learning
from tests.support.reviews.replies import write_all
from tests.support.tenants.shop import Shop
from tests.support.webhooks.webhooks import subscribe

SERVICE_ONLY = frozenset(
    {
        "users",
        "erasures",
        "error_reports",
        "installation_stops",
        "mail_counts",
        "model_spending",
        "rate_windows",
        "sessions",
        "sign_in_codes",
        "payment_events",
        "oauth_clients",
        "user_preferences",
        "sign_in_links",
    }
)
"""Tables without a client. Only cross-client code may access them."""

NO_TENANT = SERVICE_ONLY | {"clients"}


async def fill_every_table(database: Database, shop: Shop) -> None:
    """Fill all tables. Fail if a table stayed empty, because this function must then be
    extended."""
    now = utc_now()
    paused = await subscribe(database, shop)
    await subscribe(database, shop)
    admitted = await try_to_admit(database, shop, idempotency=IdempotencyKey("key", b"digest"))
    assert isinstance(admitted, Admitted)
    async with database.tenant(shop.tenant) as connection:
        # From here on, events are sent to one webhook, and missed by the other.
        await WebhookRepository(connection, shop.tenant).change(
            paused.id, WebhookChange(pause=True), now
        )
        await AccountRepository(connection, shop.tenant).add_credits(
            5, entry_id=new_ulid(), reason="test", now=now
        )
        await CheckoutRepository(connection, shop.tenant).add(
            Checkout(
                id=new_ulid(),
                client_id=shop.client_id,
                credits=5,
                amount=Money(minor=500, currency="EUR"),
                created_at=now,
            )
        )
        await UsageLedger(connection, shop.tenant).note_thresholds(
            QuotaStanding(period_of(now), 4, 5, 0), (80,), now=now, new_id=new_ulid
        )
        await ContentRepository(connection, shop.tenant).add_knowledge(
            entry_id=new_ulid(), title="t", body="b", language="fr", now=now
        )
        await SuggestionRepository(connection, shop.tenant).add(
            Suggestion(
                id=new_ulid(),
                proposed=SuggestedEntry(title="t", body="b", language="fr"),
                reason="r",
                suggested_by=shop.key_id,
                created_at=now,
            )
        )
        await _import_site(shop, connection)
        conversation_id = await _work_on(admitted.ref, shop, connection)
        await write_all(connection, shop.tenant, conversation_id)
        integration_id = await _act(admitted.ref, shop, connection)
        await _reckon(shop, connection)
        await _note(shop, connection)
        await _chat(shop, connection)
        await fill_the_hub(connection, shop.tenant, integration_id, admitted.event_id)
        await fill_learning(connection, shop.tenant, admitted.ref)
        await ModelCallRepository(connection, shop.tenant).keep(admitted.ref.run_id, "k", "{}", now)
        await Outbox(connection, shop.tenant).add(
            sample("ticket.resolved"), dedup_key=admitted.ref.run_id, now=now, new_id=new_ulid
        )
        empty = [
            name
            for name, table in metadata.tables.items()
            if name not in NO_TENANT
            and not await connection.scalar(sa.select(sa.func.count()).select_from(table))
        ]
    assert empty == []


async def _import_site(shop: Shop, connection: AsyncConnection) -> None:
    now, url = utc_now(), "https://help.example.com/"
    site = SiteImport(
        id=new_ulid(),
        url=url,
        scope=SiteScope.SITE,
        state=SiteImportState.RUNNING,
        started_by="operator:test",
        created_at=now,
    )
    await SiteImportRepository(connection, shop.tenant).create(site)
    source = PageSource(url=url, read_at=now, import_id=site.id, digest="d")
    await EntrySourceRepository(connection, shop.tenant).dismiss(source, now)


async def _work_on(ref: RunRef, shop: Shop, connection: AsyncConnection) -> str:
    """Work on the run, and return its conversation."""
    now = utc_now()
    opened = await ConversationRepository(connection, shop.tenant).open(
        "key",
        event_id=ref.event_id,
        conversation_id=new_ulid(),
        channel="api",
        customer_email=None,
        memory_key=None,
        now=now,
    )
    await EventRepository(connection, shop.tenant).save_unified(
        ref.event_id, UnifiedEvent(channel=Channel.API), conversation_id=opened.id
    )
    await CustomerIndex(connection, shop.tenant).keep(
        "a@b.example", "Ann", is_verified=True, new_id=new_ulid, at=now
    )
    code = NewMailedCode(
        ref.run_id,
        opened.id,
        "a@b.example",
        "author",
        "fr",
        b"d",
        "sealed",
        question_id=ref.event_id,
    )
    await MailedCodeRepository(connection, shop.tenant, CodePlace.TICKET).create(code, now)
    await SentimentRepository(connection, shop.tenant).record(
        ref.event_id, 0, now=now, new_id=new_ulid
    )
    await EscalationRepository(connection, shop.tenant).open(
        ref,
        escalation_id=new_ulid(),
        round_=0,
        reason=EscalationReason.LOW_CONFIDENCE,
        expires_at=now,
        now=now,
    )
    await ActionLedger(connection, shop.tenant).begin(
        LedgerPlace(ref.run_id, 0, 0), Effect(ActionKind.REPLY), entry_id=new_ulid(), now=now
    )
    return opened.id


async def _act(ref: RunRef, shop: Shop, connection: AsyncConnection) -> str:
    """Record actions of the run, and return their integration."""
    now, integration_id = utc_now(), new_ulid()
    await IntegrationRepository(connection, shop.tenant).connect(
        Integration(id=integration_id, provider=Provider.DEMO_SHOP, sealed="sealed"), now, new_ulid
    )
    await connection.execute(
        sa.insert(brain_costs).values(
            client_id=shop.client_id,
            period=period_of(now),
            calls=1,
            tokens_in=1,
            tokens_out=1,
            cost_micros=1,
        )
    )
    await ModelAlarms(connection, shop.tenant).start(ModelFault.BUDGET, now)
    entry = await connection.scalar(sa.select(knowledge_entries.c.id))
    await connection.execute(
        sa.insert(knowledge_chunks).values(
            client_id=shop.client_id,
            entry_id=entry,
            place=0,
            model="m",
            digest=b"d",
            heading="",
            sentences=["Three days."],
            embedding=[0.5, 0.5],
            sentence_embeddings='{"[0.5,0.5]"}',
            created_at=now,
        )
    )
    return integration_id


async def _note(shop: Shop, connection: AsyncConnection) -> None:
    note = Note(Actor.person(shop.owner_user_id, Role.OWNER), "key created", {"key_id": "k"})
    await AuditLog(connection, shop.tenant).append([note], utc_now(), new_ulid)
    head = {"seq": 1, "hash": b"h", "day": utc_now().date()}
    anchor = insert(audit_anchors).values(client_id=shop.client_id, **head)
    await connection.execute(anchor.on_conflict_do_nothing())


async def _chat(shop: Shop, connection: AsyncConnection) -> None:
    now, session_id = utc_now(), new_ulid()
    await WidgetRepository(connection, shop.tenant).change(
        WidgetChange(allowed_origins=("https://shop.example",)), now
    )
    await WidgetSessionRepository(connection, shop.tenant).open(session_id, "fr", now)
    code = NewMailedCode(
        new_ulid(), session_id, "a@b.example", "192.0.2.0/24", "fr", b"d", "sealed"
    )
    await MailedCodeRepository(connection, shop.tenant, CodePlace.WIDGET).create(code, now)


async def _reckon(shop: Shop, connection: AsyncConnection) -> None:
    now = utc_now()
    whose = {"client_id": shop.client_id}
    counts = {
        column.name: 0 for column in metrics_daily.columns if isinstance(column.type, sa.Integer)
    }
    invited = {
        "email": "new@b.example",
        "role": Role.AGENT,
        "invited_by": "user",
        "language": "fr",
        "expires_at": now,
    }
    code = {
        **dict.fromkeys(("user_id", "oauth_client_id", "label", "redirect_uri", "challenge"), "x"),
        "digest": new_ulid().encode(),
    }
    churn = {"customer_email": "a@b.example", "week": now.date(), "score": 0.5, "level": "low"}
    for table, values in (
        (automation_events, {"id": new_ulid(), "event_type": "x", "created_at": now}),
        (metrics_daily, {"day": now.date(), "computed_at": now, **counts}),
        (churn_predictions, {"id": new_ulid(), "created_at": now, **churn}),
        (client_settings, {"updated_at": now}),
        (customer_memories, {"key": "email:a@b.example", "summary": "s", "updated_at": now}),
        (invitations, {"id": new_ulid(), "created_at": now, **invited}),
        (oauth_codes, {"id": new_ulid(), "created_at": now, **code}),
        (form_posts, {"once": new_ulid(), "user_id": "user", "created_at": now}),
        (page_drafts, {"user_id": "user", "form": "/app/knowledge", "saved_at": now}),
        (
            inbox_views,
            {
                **dict.fromkeys(("created_at", "updated_at"), now),
                "id": new_ulid(),
                "name": "Retours",
                "created_by": "user",
            },
        ),
        (home_visits, {"user_id": "user", "seen_at": now, "away_since": now}),
        (
            member_notifications,
            {"user_id": "user", "mode": "at_once", "digest_hour": 9, "updated_at": now},
        ),
        (
            member_notices,
            {"user_id": "user", "kind": "assigned", "subject": new_ulid(), "created_at": now},
        ),
        (member_mails, {"id": new_ulid(), "user_id": "user", "created_at": now}),
        (
            loosenings,
            {
                **dict.fromkeys(("created_at", "takes_effect_at"), now),
                "id": new_ulid(),
                "state": "pending",
                "change": {},
                "differences": [],
                "requested_by": "user",
            },
        ),
        (mail_senders, {"address": "contact@shop.example", "updated_at": now}),
    ):
        # The shop may already have a sender.
        await connection.execute(insert(table).values({**whose, **values}).on_conflict_do_nothing())

"""A client with a history: the engine has worked for it, and every section has unusual records."""

from datetime import timedelta
from pathlib import Path

import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from domain.agent.plan import ActionKind
from domain.analytics.metrics import Breakdown, Slice
from domain.audit.entry import Note
from domain.reviews.escalation import Decision
from domain.tenants.actor import Actor
from domain.tenants.business_hours import BusinessHours, OpeningInterval, Weekday
from store.analytics.tables import churn_predictions, metrics_daily
from store.audit.audit_log import AuditLog
from store.content.content import ContentRepository
from store.content.tables import response_templates
from store.exports.tables import automation_events
from store.integrations.tables import integrations
from store.reviews.tables import escalation_tickets
from store.tenants.tables import client_settings
from tests.support.agent.acting import (
    CUSTOMER,
    WISH,
    Acting,
    ScriptedBrain,
    acting_shop,
    order,
    rules,
    think_by,
)
from tests.support.cases.cases import a_case, a_spec
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.intake.attachments import PHOTO, PROGRAM, keep_attachments
from tests.support.learning.left_runs import tried
from tests.support.learning.taught import taught
from tests.support.reviews.replies import conversation_of, write_all
from tests.support.tenants.shop import Shop

AWKWARD = '=cmd|"é\\" \u2028 ## client (1)\r\n\t"x",;\'\U0001f600 -- null {{ x }}'


async def lived_tenant(acting: LiveEngine, folder: Path) -> Acting:
    """Create its runs: completed with a refund, rejected, edited, in review and left to human
    agents. No worker is running afterwards."""
    it = await acting_shop(acting, folder, [order("2001")], rules())
    think_by(acting, ScriptedBrain(ActionKind.REFUND))
    ask = {"event_type": "shopify.ticket.created", "customer_email": CUSTOMER}
    async with acting.working():
        done = (await acting.post(it.shop, **ask, message=WISH)).json()
        assert done["status"] == "completed"
        await keep_attachments(acting.database, it.shop.tenant, done["event_id"], PHOTO, PROGRAM)
        await _reviewed(acting, it.shop, Decision.REJECT, **ask, message=WISH)
        await _reviewed(
            acting, it.shop, Decision.EDIT, message=AWKWARD, session_id="s", ticket_id="T-1",
            deep=[{"a": [1.5, -7, 1e20, None, True, {}]}, AWKWARD],
        )  # fmt: skip
        open_ = (await acting.post(it.shop, **ask, message=WISH, ticket_id="T-2")).json()
        # After a rejection, human agents handle the customer's conversation.
        joined = (await acting.post(it.shop, **ask, message=WISH)).json()
        assert open_["status"] == joined["status"] == "needs_review"
    talk = await conversation_of(acting.database, done["event_id"])
    async with acting.database.tenant(it.shop.tenant) as connection:
        await write_all(connection, it.shop.tenant, talk, AWKWARD)
    await _fill(acting, it.shop)
    return it


async def _reviewed(acting: LiveEngine, shop: Shop, decision: Decision, **body: object) -> None:
    run = (await acting.post(shop, **body)).json()
    assert run["status"] == "needs_review"
    review = await only_row(acting.database, escalation_tickets, run_id=run["run_id"])
    words = AWKWARD if decision is Decision.EDIT else None
    await acting.decide(review["id"], decision, words)
    await acting.run_of(shop, run["event_id"]).result()


async def _fill(acting: LiveEngine, shop: Shop) -> None:
    now, mine = utc_now(), {"client_id": shop.client_id}
    counts = {c.name: 3 for c in metrics_daily.columns if isinstance(c.type, sa.Integer)}
    churn = {
        "customer_email": AWKWARD, "level": "high", "score": 1 / 3, "factors": [
            {"name": "silence", "value": 1 / 3, "weight": 0.15, "contribution": 0.05}
        ],
    }  # fmt: skip
    rows: list[tuple[sa.Table, dict[str, object]]] = [
        (automation_events, {"id": new_ulid(), "event_type": AWKWARD, "payload": {"a": AWKWARD}}),
        (automation_events, {"id": "legacy-7", "event_type": "x", "source": AWKWARD}),
        (churn_predictions, {"id": new_ulid(), "week": now.date(), **churn}),
    ]
    await a_case(acting.database, shop, a_spec(AWKWARD.split(maxsplit=1)[0], AWKWARD))
    async with acting.database.tenant(shop.tenant) as connection:
        for table, values in rows:
            await connection.execute(sa.insert(table).values(created_at=now, **mine, **values))
        for day in range(2):
            await connection.execute(
                sa.insert(metrics_daily).values(
                    **mine, day=now.date() - timedelta(days=day), computed_at=now,
                    sentiment_mean=-0.1 if day else None, latency_p50_ms=12.5, **counts,
                    rating_mean=4.5, escalations={"low_confidence": 1}, latencies={"51": 3},
                    breakdown=Breakdown(
                        by_playbook=(Slice(key=shop.playbook_id, asked=3),)
                    ).model_dump(),
                )
            )  # fmt: skip
        await connection.execute(
            sa.insert(client_settings).values(
                **mine, system_prompt=AWKWARD, guidance={"tone": "Chaleureux", "dont": ["\"Non\""]},
                branding={"color": "#1a2b3c"},
                widget_key="wk_" + "0" * 32, retention={"churn": 90, "metrics": None},
                sensitive_words=["Été pourri"], acknowledgement={"fr": "Merci.\n\"Vite\" {{ x }}"},
                frame={"fr": {"sign_off": "À vous,\n\"{{ brand_name }}\""}},
                disclosure={"fr": "Une IA répond : \"oui\""}, disclosure_status="people_review",
                authserv_ids=["mx.shop.example"], ask_rating=True,
                business_hours=BusinessHours(
                    week={Weekday.MONDAY: (OpeningInterval(opens="09:00", closes="17:30"),)},
                    holidays=(now.date(),), target_minutes=90,
                ).model_dump(mode="json"),
                updated_at=now,
            )
        )  # fmt: skip
        await connection.execute(
            sa.insert(integrations).values(
                **mine, id=new_ulid(), provider="zendesk", status="disconnected", sealed="",
                connected_at=now, disconnected_at=now,
            )
        )  # fmt: skip
        await connection.execute(
            sa.update(response_templates).values(
                body=AWKWARD, updated_at=now, is_active=False, is_starter=True
            )
        )
        await ContentRepository(connection, shop.tenant).add_knowledge(
            entry_id=new_ulid(), title="Où ?", body=AWKWARD, language="fr", now=now
        )
        await taught(connection, shop.tenant, words=AWKWARD)
        await tried(connection, shop, words=AWKWARD)
        note = Note(Actor.operator(CUSTOMER, login=AWKWARD), AWKWARD, {AWKWARD: AWKWARD})
        await AuditLog(connection, shop.tenant).append([note], now, new_ulid)

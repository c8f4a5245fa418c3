"""One run for each branch of the workflows, for recording histories."""

from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime

import sqlalchemy as sa

from adapters.temporal.runs import erased
from adapters.temporal.setup import (
    ensure_anchor_audit_schedule,
    ensure_daily_metrics_schedule,
    ensure_forget_dry_runs_schedule,
    ensure_monthly_reset_schedule,
    ensure_retention_schedule,
    ensure_weekly_churn_schedule,
)
from domain.analytics.contracts import BackfillMetricsInput, WeeklyChurnInput
from domain.billing.contracts import MonthlyResetInput
from domain.core.names import (
    ANCHOR_AUDIT_SCHEDULE,
    BACKFILL_METRICS,
    DAILY_METRICS_SCHEDULE,
    FORGET_DRY_RUNS_SCHEDULE,
    HOUSEKEEPING,
    MONTHLY_RESET,
    MONTHLY_RESET_SCHEDULE,
    RETENTION_SCHEDULE,
    SWEEP,
    WEEKLY_CHURN,
    WEEKLY_CHURN_SCHEDULE,
    erase_id,
    process_event_id,
    send_mail_id,
)
from domain.integrations.providers import Provider
from domain.privacy.contracts import HousekeepingInput
from domain.reviews.escalation import Decision
from domain.runs.contracts import SweepInput
from store.identity.tables import sign_in_codes
from store.reviews.tables import escalation_tickets
from store.runs.tables import engine_runs
from tests.support.agent.acting import connect
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.core.schedules import fire
from tests.support.identity.sign_in import code_for
from tests.support.privacy.erasing import asked, erase
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import ORDER_QUESTION, UNSURE_MESSAGE, Shop

Scenario = Callable[[LiveEngine, Shop, MailServer], Awaitable[str]]
"""Runs one branch to its end and returns its workflow's id."""

MAIL = {"event_type": "email.inbound", "customer_email": "a@b.example"}


async def completed(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    return await answered(engine, shop, message=ORDER_QUESTION)


async def completed_by_mail(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    return await answered(engine, shop, message=ORDER_QUESTION, **MAIL)


async def executor_failed(engine: LiveEngine, shop: Shop, mail: MailServer) -> str:
    mail.recipient_reply = "550 no"
    return await answered(engine, shop, message=ORDER_QUESTION, **MAIL)


async def brain_failed(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    workflow_id = await answered(engine, shop, message=ORDER_QUESTION)
    escalation = await only_row(engine.database, escalation_tickets)
    await engine.decide(escalation["id"], Decision.EDIT, "Bonjour, oui.")
    return workflow_id


async def review_approved(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    return await _decided(engine, shop, Decision.APPROVE)


async def review_edited(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    return await _decided(engine, shop, Decision.EDIT, "Bonjour, oui.")


async def review_rejected(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    return await _decided(engine, shop, Decision.REJECT)


async def review_expired(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    """The engine of this scenario has an expiry of a fraction of a second."""
    return await answered(engine, shop, message=UNSURE_MESSAGE)


async def unknown_outcome_approved(engine: LiveEngine, shop: Shop, mail: MailServer) -> str:
    mail.reply = None
    body = (await engine.post(shop, message=ORDER_QUESTION, **MAIL)).json()
    mail.reply = "250 kept"
    escalation = await only_row(engine.database, escalation_tickets)
    await engine.decide(escalation["id"], Decision.APPROVE)
    return process_event_id(shop.client_id, body["event_id"])


async def looked_up(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    """A shop is connected, but does not respond."""
    await connect(engine, shop, Provider.DEMO_SHOP, {"path": "nowhere.db"}, "{}")
    asked = {"customer_email": "a@b.example", "message": ORDER_QUESTION}
    body = (await engine.post(shop, **asked)).json()
    escalation = await only_row(engine.database, escalation_tickets)
    await engine.decide(escalation["id"], Decision.REJECT)
    return process_event_id(shop.client_id, body["event_id"])


async def dry_run(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    body = (await engine.post(shop, message=ORDER_QUESTION, is_test=True)).json()
    return f"dry-run/{shop.client_id}/{body['event_id']}"


async def sweep(engine: LiveEngine, _: Shop, __: MailServer) -> str:
    await engine.client.execute_workflow(
        SWEEP, SweepInput(older_than_s=0), id="sweep", task_queue="engine"
    )
    return "sweep"


async def sweep_embeds(engine: LiveEngine, _: Shop, __: MailServer) -> str:
    await engine.client.execute_workflow(
        SWEEP,
        SweepInput(older_than_s=0, embedding_model="openai:none"),
        id="sweep-embeds",
        task_queue="engine",
    )
    return "sweep-embeds"


async def sweep_failed(engine: LiveEngine, _: Shop, __: MailServer) -> str:
    """The time does not exist: every step with it fails, and the last step is executed."""
    await engine.client.start_workflow(
        SWEEP,
        SweepInput(older_than_s=1e300, embedding_model="openai:none"),
        id="sweep-failed",
        task_queue="engine",
    )
    return "sweep-failed"


async def monthly_reset(engine: LiveEngine, _: Shop, __: MailServer) -> str:
    """Started by its schedule, as in production: the period is derived from the scheduled time."""
    await ensure_monthly_reset_schedule(engine.client)
    return await fire(engine.client, MONTHLY_RESET_SCHEDULE, datetime(2024, 3, 1, tzinfo=UTC))


async def monthly_reset_by_hand(engine: LiveEngine, _: Shop, __: MailServer) -> str:
    await engine.client.execute_workflow(
        MONTHLY_RESET, MonthlyResetInput(), id="by-hand", task_queue="engine"
    )
    return "by-hand"


async def housekeeping(engine: LiveEngine, _: Shop, __: MailServer) -> str:
    await engine.client.execute_workflow(
        HOUSEKEEPING, HousekeepingInput(), id="housekeeping", task_queue="engine"
    )
    return "housekeeping"


async def retention(engine: LiveEngine, _: Shop, __: MailServer) -> str:
    """Started by its schedule, as in production."""
    await ensure_retention_schedule(engine.client)
    return await fire(engine.client, RETENTION_SCHEDULE, datetime(2024, 3, 1, 2, 10, tzinfo=UTC))


async def forget_dry_runs(engine: LiveEngine, _: Shop, __: MailServer) -> str:
    """Started by its schedule, as in production."""
    await ensure_forget_dry_runs_schedule(engine.client)
    at = datetime(2024, 3, 1, 2, 50, tzinfo=UTC)
    return await fire(engine.client, FORGET_DRY_RUNS_SCHEDULE, at)


async def anchor_audit(engine: LiveEngine, _: Shop, __: MailServer) -> str:
    """Started by its schedule, as in production."""
    await ensure_anchor_audit_schedule(engine.client)
    at = datetime(2024, 3, 1, 0, 20, tzinfo=UTC)
    return await fire(engine.client, ANCHOR_AUDIT_SCHEDULE, at)


async def code_mailed(engine: LiveEngine, _: Shop, mail: MailServer) -> str:
    await code_for(engine, mail, "anne@shop.example", "Maison Lin")
    code = await only_row(engine.database, sign_in_codes)
    return send_mail_id("", code["id"])


async def erase_client(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    await answered(engine, shop, message=ORDER_QUESTION)
    await erase(engine, shop)
    return erase_id(shop.client_id, "")


async def erase_customer(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    await answered(engine, shop, message=ORDER_QUESTION, customer_email="a@b.example")
    return await _erased(engine, shop)


async def erase_customer_under_way(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    """A step may be in progress: its end is awaited."""
    await answered(engine, shop, message=ORDER_QUESTION, customer_email="a@b.example")
    async with engine.database.service() as connection:
        await connection.execute(sa.update(engine_runs).values(status="received"))
    return await _erased(engine, shop)


async def _erased(engine: LiveEngine, shop: Shop) -> str:
    step = asked(engine, shop, "a@b.example")
    await erased(engine.client, step)
    return erase_id(shop.client_id, step.subject)


async def daily_metrics(engine: LiveEngine, _: Shop, __: MailServer) -> str:
    """Started by its schedule: the day is derived from the scheduled time."""
    await ensure_daily_metrics_schedule(engine.client)
    return await fire(
        engine.client, DAILY_METRICS_SCHEDULE, datetime(2024, 3, 1, 0, 10, tzinfo=UTC)
    )


async def backfill_metrics(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    """A backfill of more days than one activity computes."""
    await engine.client.execute_workflow(
        BACKFILL_METRICS,
        BackfillMetricsInput(
            first=date(2024, 2, 20), last=date(2024, 3, 10), client_id=shop.client_id
        ),
        id="backfill",
        task_queue="engine",
    )
    return "backfill"


async def weekly_churn(engine: LiveEngine, _: Shop, __: MailServer) -> str:
    """Started by its schedule: the week is derived from the scheduled time."""
    await ensure_weekly_churn_schedule(engine.client)
    at = datetime(2024, 3, 4, 1, 10, tzinfo=UTC)
    return await fire(engine.client, WEEKLY_CHURN_SCHEDULE, at)


async def weekly_churn_by_hand(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    await engine.client.execute_workflow(
        WEEKLY_CHURN,
        WeeklyChurnInput(client_id=shop.client_id),
        id="churn-by-hand",
        task_queue="engine",
    )
    return "churn-by-hand"


SCENARIOS: dict[str, Scenario] = {
    scenario.__name__: scenario
    for scenario in (
        completed,
        completed_by_mail,
        executor_failed,
        brain_failed,
        review_approved,
        review_edited,
        review_rejected,
        review_expired,
        unknown_outcome_approved,
        looked_up,
        dry_run,
        sweep,
        sweep_embeds,
        sweep_failed,
        monthly_reset,
        monthly_reset_by_hand,
        housekeeping,
        retention,
        forget_dry_runs,
        anchor_audit,
        code_mailed,
        erase_client,
        erase_customer,
        erase_customer_under_way,
        daily_metrics,
        backfill_metrics,
        weekly_churn,
        weekly_churn_by_hand,
    )
}


async def answered(engine: LiveEngine, shop: Shop, **body: str) -> str:
    answer = (await engine.post(shop, **body)).json()
    return process_event_id(shop.client_id, answer["event_id"])


async def _decided(
    engine: LiveEngine, shop: Shop, decision: Decision, text: str | None = None
) -> str:
    workflow_id = await answered(engine, shop, message=UNSURE_MESSAGE)
    escalation = await only_row(engine.database, escalation_tickets)
    if decision is Decision.APPROVE and not escalation["draft"]:
        raise AssertionError("this scenario needs a draft to approve")
    await engine.decide(escalation["id"], decision, text)
    return workflow_id

"""Write a sample history into a client that has no conversations, for demonstrations."""

from datetime import datetime, timedelta
from typing import Final

from domain.analytics.churn import predict, week_of
from domain.analytics.metrics import day_before, days_of, midnight
from domain.billing.quota import PaidBy, QuotaStanding
from domain.core.contracts import RunRef
from domain.core.period import day_of, period_of
from domain.exports.export import Section
from domain.exports.sample_history import OpenReview, SampleHistory
from domain.tenants.actor import OPERATORS, Actor
from services.core.unit_of_work import UnitOfWork
from store.analytics.churn import ChurnRepository
from store.analytics.day_counts import count_day
from store.analytics.metrics import keep_day
from store.billing.usage_ledger import UsageLedger
from store.exports.import_repository import TenantImport
from store.reviews.escalations import EscalationRepository
from store.runs.conversation_lists import ConversationLists, TalkFilter

SAMPLE_PATIENCE_S: Final = 120.0
"""The time limit for writing a history, in seconds. Writing a history takes a few seconds on a slow
machine."""

_AT_ONCE: Final = 200
_CUSTOMERS: Final = 1_000
_WEEK: Final = timedelta(days=7)


async def add_sample_history(work: UnitOfWork, actor: Actor, history: SampleHistory) -> bool:
    """Write the history, its usage, and the metrics and churn predictions computed from it.

    Return False and change nothing if the client already has a conversation. No webhooks, emails or
    workflows start. The client must have the playbooks and texts that the records refer to. Raises
    RoleRequired, ClientNotFound, and InvalidExport for contradictory records.
    """
    actor.require(OPERATORS)
    lists = ConversationLists(work.connection, work.tenant)
    found, _ = await lists.page(TalkFilter(), after=None, limit=1, now=work.now)
    if found:
        return False
    await _import(work, history)
    await _open(work, history.open_reviews)
    await _charge(work, history.tickets)
    await _compute(work, min(history.tickets.values(), default=work.now))
    work.note(actor, "sample history added", runs=str(len(history.tickets)))
    return True


async def _import(work: UnitOfWork, history: SampleHistory) -> None:
    importing = TenantImport(work.connection, work.tenant, work.now)
    await importing.begin_beside()
    for section in Section:
        records = [one.model_dump_json() for one in history.sections.get(section, ())]
        for first in range(0, len(records), _AT_ONCE):
            await importing.add(section, records[first : first + _AT_ONCE])
    await importing.finish(work.new_id)


async def _open(work: UnitOfWork, reviews: list[OpenReview]) -> None:
    repository = EscalationRepository(work.connection, work.tenant)
    for one in reviews:
        await repository.open(
            RunRef(client_id=work.tenant, event_id=one.event_id, run_id=one.run_id),
            escalation_id=one.review_id,
            round_=0,
            reason=one.reason,
            expires_at=one.expires_at,
            now=one.at,
        )


async def _charge(work: UnitOfWork, tickets: dict[str, datetime]) -> None:
    """Count each ticket once, so that the usage ledger and the counters agree with the runs."""
    ledger = UsageLedger(work.connection, work.tenant)
    for event_id, at in tickets.items():
        standing = QuotaStanding(period_of(at), 0, 0, 0)
        await ledger.charge(event_id, standing, PaidBy.QUOTA, entry_id=work.new_id(), now=at)


async def _compute(work: UnitOfWork, first: datetime) -> None:
    """Compute metrics for each day since `first`, and churn predictions for this week and last
    week."""
    for day in days_of(day_of(first), day_before(work.now)):
        counted = await count_day(work.connection, [work.tenant], day, work.now)
        await keep_day(work.connection, counted, day, work.now)
    monday = midnight(week_of(work.now))
    churn = ChurnRepository(work.connection, work.tenant)
    for at in (monday - _WEEK, monday):
        customers = await churn.customers(at, after="", limit=_CUSTOMERS)
        histories = await churn.histories(customers, at)
        found = {customer: predict(history, at) for customer, history in histories.items()}
        await churn.keep(found, week_of(at), now=work.now, new_id=work.new_id)

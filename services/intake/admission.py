"""Admission turns a request into a stored event with a pending run, in one transaction.

If a message is rejected, the transaction is rolled back, so the message is neither stored nor
counted.
"""

import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from domain.billing.errors import QuotaExhausted
from domain.billing.quota import QuotaStanding, Threshold
from domain.core.contracts import RunRef
from domain.core.errors import CommitUnknown, DomainError, EngineUnavailable, OverBudget
from domain.core.ids import TenantId
from domain.core.ports import Clock
from domain.intake.errors import ClientRateLimited, CustomerRateLimited
from domain.intake.event import InboundEvent
from domain.intake.gateway_limits import PER_CLIENT, PER_CUSTOMER
from domain.intake.limit_key import LimitKey, limit_key, needs_mail_servers
from domain.intake.sender_domain import own_domain
from domain.intake.unproved_share import SENDER, is_unproved
from domain.playbooks.playbook import Playbook, match
from domain.runs.errors import AnswerDelayed, AnswerUnknown
from domain.tenants.actor import Actor, ActorKind
from domain.tenants.errors import Unauthenticated
from domain.widget.errors import SessionUnknown, WidgetShareUsed
from domain.widget.visit import WidgetVisit
from domain.widget.widget_session import VerifiedBy
from services.core.cpu_guard import limited
from services.core.unit_of_work import UnitOfWork, UnitsOfWork
from services.intake.entry_limiter import EntryLimiter
from services.intake.shares import check_event_room, check_unproved_share, check_widget_share
from store.billing.thresholds import note_reached
from store.billing.usage_ledger import UsageLedger
from store.core.database import PATIENCE_S
from store.intake.arrivals import Arrival, ArrivalRepository
from store.intake.events import EventRepository
from store.intake.idempotency import claim, is_kept
from store.intake.recent_use import RecentUse, recent_use
from store.intake.sender_use import SenderUse
from store.playbooks.playbooks import PlaybookRepository
from store.tenants.accounts import AccountRepository
from store.tenants.client_settings import SettingsRepository
from store.widget.session_messages import SessionMessageRepository
from store.widget.visitor_sessions import WidgetSessionRepository

# Timeout for the entry limiter and the transaction together. If the database is unavailable, the
# caller gets an error within 5 s.
_PATIENCE_S: Final = 4.5
_LOOK_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class Admitted:
    """The result if the event and its run were stored. The run has not started yet."""

    ref: RunRef
    playbook: Playbook

    @property
    def event_id(self) -> str:
        """The id of the stored event."""
        return self.ref.event_id


@dataclass(frozen=True, slots=True)
class Unmatched:
    """The result if no active playbook matches the event's type. The event was stored with this
    outcome."""

    event_id: str
    event_type: str


@dataclass(frozen=True, slots=True)
class Repeated:
    """The result if the idempotency key was already used for this event, with the same body."""

    event_id: str


async def receive_event(
    units: UnitsOfWork,
    entry_limiter: EntryLimiter,
    actor: Actor,
    arrival: Arrival,
    *,
    tenant: TenantId,
    now: Clock,
) -> Admitted | Unmatched | Repeated:
    """Admit an event within its caller's timeout.

    Raises the errors of `admit_event`, and CallerBusy if too many of the client's callers are
    waiting. After EngineUnavailable, nothing was stored. After AnswerDelayed, the event was stored.
    After AnswerUnknown, it may have been.
    """
    began = time.monotonic()
    share = arrival.visit.share if arrival.visit else None
    refusal = entry_limiter.known_refusal(tenant, arrival.event, now, share)
    if refusal is not None and arrival.idempotency is None:
        raise refusal
    try:
        async with entry_limiter.enter(tenant):
            # While this caller waited, an earlier caller may have been rejected.
            refusal = entry_limiter.known_refusal(tenant, arrival.event, now, share)
            if refusal is not None and not await _was_seen(arrival, tenant, units, now()):
                raise refusal
            left = _PATIENCE_S - (time.monotonic() - began)
            patience_s = min(PATIENCE_S, max(_LOOK_S, left))
            try:
                unit = units.of(tenant, patience_s=patience_s, keeps_plans=True)
                async with unit as work:
                    return await admit_event(work, actor, arrival, now)
            except CommitUnknown as lost:
                raise await _what_became_of(arrival, tenant, units) from lost
            except (CustomerRateLimited, ClientRateLimited, WidgetShareUsed) as refused:
                entry_limiter.note(tenant, refused, share)
                raise
    except QuotaExhausted as refused:
        # The notification is sent outside the gate, so that no caller has to wait if Temporal does
        # not respond.
        if refused.thresholds_untold:
            await _tell_thresholds(tenant, units)
        raise


async def admit_event(
    work: UnitOfWork, actor: Actor, arrival: Arrival, now: Clock
) -> Admitted | Unmatched | Repeated:
    """Store an event with its message and run, and count its ticket. A usage threshold is reported
    by the run.

    Any actor of the client may call this, except with a revoked API key. Only an event typed by a
    person is audited because this is the hot path. All limits are checked under the account's lock,
    so concurrent events cannot exceed them.

    Raises Unauthenticated, ClientNotFound, IdempotencyKeyReused, CustomerRateLimited,
    ClientRateLimited, QuotaExhausted. A visitor's message may also raise WidgetShareUsed or
    SessionUnknown. An unverified platform message may raise UnprovedShareUsed. An event without a
    playbook or plan may raise EventRoomUsed.
    """
    connection, tenant = work.connection, work.tenant
    arrival = _authored(arrival, actor)
    key_id = arrival.key_id
    customer = await counted_customer(work, arrival.event, is_brought=arrival.is_brought)
    account = await AccountRepository(connection, tenant).lock()
    at = now()
    recent = await recent_use(connection, tenant, customer, key_id=key_id, now=at)
    if key_id is not None and not recent.key_is_active:
        raise Unauthenticated
    if arrival.idempotency is not None:
        first = await claim(connection, tenant, arrival.idempotency, arrival.event_id, at)
        if first != arrival.event_id:
            return Repeated(first)
    _check_messages(arrival.event.customer_email, customer, recent, at)
    standing = account.subscription.standing(
        at, tickets_used=recent.tickets_used, credits_balance=account.credits_balance
    )
    if arrival.visit is not None:
        await check_widget_share(work, arrival.visit.share, standing, at)
        await _enter_session(work, arrival.visit, at)
    paid_by = standing.payment()
    if paid_by is None:
        raise QuotaExhausted(standing, thresholds_untold=bool(_untold(standing, recent)))
    unproved = arrival.is_brought and is_unproved(arrival.event, customer)
    if unproved:
        await check_unproved_share(work, standing, at)
    playbook = match(
        await PlaybookRepository(connection, tenant).active(), arrival.event.event_type
    )
    await check_event_room(
        work, account.subscription, at, matched=playbook is not None, unproved=unproved
    )
    await _write_rows(work, arrival, customer, playbook, at)
    if arrival.event.author is not None:
        work.note(actor, "ticket typed", event_id=arrival.event_id)
    if playbook is None:
        return Unmatched(arrival.event_id, arrival.event.event_type)
    ledger = UsageLedger(connection, tenant)
    await ledger.charge(arrival.event_id, standing, paid_by, entry_id=work.new_id(), now=at)
    after = standing.after(paid_by)
    await ledger.note_thresholds(
        after, _untold(after, recent), now=at, new_id=work.new_id, run_id=arrival.run_id
    )
    return Admitted(_ref(tenant, arrival), playbook)


async def counted_customer(
    work: UnitOfWork, event: InboundEvent, *, is_brought: bool
) -> LimitKey | None:
    """Return the key of the customer toward whose limit the event counts, or None if the sender is
    too expensive to determine.

    Such an event counts only toward the client's limits, and goes to a human. An email takes one
    query. A verified sender's event from a webhook or poll (`is_brought`) takes one more.
    """
    authserv_ids: Iterable[str] = ()
    try:
        if limited(lambda: needs_mail_servers(event)):
            chosen = await SettingsRepository(work.connection, work.tenant).read()
            authserv_ids = chosen.authserv_ids
        key = limited(lambda: limit_key(event, authserv_ids))
    except OverBudget:
        return None
    if key is None or key.is_claim or not is_brought:
        return key
    used = await SenderUse(work.connection, work.tenant).messages(
        key.customer,
        own_domain(key.customer),
        since=work.now - SENDER.window,
        at_most=SENDER.messages,
    )
    return replace(key, is_claim=used >= SENDER.messages)


def _authored(arrival: Arrival, actor: Actor) -> Arrival:
    """Return the arrival with its event's author: the signed-in user, or the API key that sent the
    event."""
    author = actor.name if actor.kind is ActorKind.PERSON else None
    key_id = actor.name if actor.kind is ActorKind.KEY else None
    event = arrival.event.model_copy(update={"author": author})
    return replace(arrival, event=event, key_id=key_id)


async def _enter_session(work: UnitOfWork, visit: WidgetVisit, now: datetime) -> None:
    """Open the visitor's widget session, and store the address that the merchant signed, if any.

    Raises SessionUnknown if the session has been erased or was verified for another visitor.
    """
    sessions = WidgetSessionRepository(work.connection, work.tenant)
    session = await sessions.open(visit.session_id, visit.language, now)
    if not visit.may_enter(session):
        raise SessionUnknown
    if visit.signed_email is not None and session.verified_email is None:
        await sessions.verify(session.id, visit.signed_email, VerifiedBy.SIGNATURE, now)


async def _write_rows(
    work: UnitOfWork,
    arrival: Arrival,
    customer: LimitKey | None,
    playbook: Playbook | None,
    now: datetime,
) -> None:
    """Write the event's rows. For a widget visitor's event, also assign the message its number in
    the session."""
    arrivals = ArrivalRepository(work.connection, work.tenant)
    if playbook is None:
        await arrivals.store(arrival, customer, now)
    else:
        await arrivals.store_with_run(arrival, customer, playbook, now)
    if arrival.visit is not None:
        messages = SessionMessageRepository(work.connection, work.tenant)
        await messages.number(arrival.event_id, "inbound")


async def _was_seen(arrival: Arrival, tenant: TenantId, units: UnitsOfWork, now: datetime) -> bool:
    """Return True if the event repeats an earlier one, which is accepted despite limits. Takes one
    read and no lock."""
    if arrival.idempotency is None:
        return False
    async with units.of(tenant, patience_s=_LOOK_S) as work:
        return await is_kept(work.connection, tenant, arrival.idempotency.key, now)


async def _tell_thresholds(tenant: TenantId, units: UnitsOfWork) -> None:
    """Send the quota notification again. The first one was rolled back with the transaction that
    rejected the event."""
    # The next rejected event tries to send the notification again.
    with suppress(EngineUnavailable):
        async with units.of(tenant) as work:
            work.deliver(*await note_reached(work.connection, tenant, work.now, work.new_id))


async def _what_became_of(arrival: Arrival, tenant: TenantId, units: UnitsOfWork) -> DomainError:
    """Return the caller's error after an admission's commit was interrupted, depending on whether
    the event was stored.

    The check takes the account's lock, which a COMMIT in progress holds until it ends.
    """
    try:
        async with units.of(tenant, patience_s=_LOOK_S) as work:
            await AccountRepository(work.connection, tenant).lock()
            kept = await EventRepository(work.connection, tenant).outcome(arrival.event_id)
    except EngineUnavailable:
        return AnswerUnknown(arrival.event_id)
    return AnswerDelayed(arrival.event_id) if kept else EngineUnavailable("nothing was stored")


def _check_messages(
    named: str | None, customer: LimitKey | None, recent: RecentUse, now: datetime
) -> None:
    oldest = recent.oldest_of_customer
    if oldest is not None and customer is not None:
        wait = PER_CUSTOMER.retry_after_s(oldest, now)
        raise CustomerRateLimited(named or customer.customer, wait, oldest, customer.digest())
    if recent.oldest_of_client is not None:
        wait = PER_CLIENT.retry_after_s(recent.oldest_of_client, now)
        raise ClientRateLimited(wait, recent.oldest_of_client)


def _untold(standing: QuotaStanding, recent: RecentUse) -> tuple[Threshold, ...]:
    """Return the usage thresholds that are reached but not yet recorded for this month."""
    return tuple(t for t in standing.thresholds() if t > recent.threshold_noted)


def _ref(tenant: TenantId, arrival: Arrival) -> RunRef:
    return RunRef(
        client_id=tenant,
        event_id=arrival.event_id,
        run_id=arrival.run_id,
        request_id=arrival.request_id,
    )

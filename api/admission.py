"""Admission over HTTP: behind the gate, within the caller's time, and honest when it breaks off."""

import time
from contextlib import suppress
from typing import Final

from api.services import Services
from api.webhook_access import have_sent
from domain.billing.errors import QuotaExhausted
from domain.core.errors import CommitUnknown, DomainError, EngineUnavailable
from domain.core.ids import TenantId
from domain.runs.errors import AnswerDelayed, AnswerUnknown
from store.billing.thresholds import note_reached
from store.core.database import PATIENCE_S
from store.intake.admission import Admitted, Arrival, Repeated, Unmatched, admit
from store.intake.events import EventRepository
from store.tenants.accounts import AccountRepository

# Admissions of one client take turns in this process, so that its crowd, or whoever keeps its row
# locked, does not hold the connections that other clients need.
GATE_PATIENCE_S: Final = 4.0
# The gate and the transaction together: a caller is told within 5 s that the database is away.
_PATIENCE_S: Final = 4.5
_LOOK_S: Final = 1.0


async def admit_arrival(
    tenant: TenantId, arrival: Arrival, services: Services
) -> Admitted | Unmatched | Repeated:
    """Raises what `admit` raises, EngineUnavailable if surely nothing was stored, AnswerDelayed if
    surely it was, and AnswerUnknown if nobody can tell."""
    began = time.monotonic()
    try:
        async with services.admissions.enter(tenant):
            left = _PATIENCE_S - (time.monotonic() - began)
            patience_s = min(PATIENCE_S, max(_LOOK_S, left))
            try:
                async with services.database.tenant(tenant, patience_s=patience_s) as connection:
                    return await admit(connection, tenant, arrival, services.now, services.new_id)
            except CommitUnknown as lost:
                raise await _what_became_of(tenant, arrival, services) from lost
    except QuotaExhausted as refused:
        # Outside the gate: nobody waits behind a Temporal that does not answer.
        if refused.thresholds_untold:
            await _tell_thresholds(tenant, services)
        raise


async def _tell_thresholds(tenant: TenantId, services: Services) -> None:
    """The refusal was rolled back whole; that the quota is used up must be told all the same."""
    with suppress(EngineUnavailable):  # the next refusal comes here again
        async with services.database.tenant(tenant) as connection:
            deliveries = await note_reached(connection, tenant, services.now(), services.new_id)
        await have_sent(services, tenant, *deliveries)


async def _what_became_of(tenant: TenantId, arrival: Arrival, services: Services) -> DomainError:
    """Look behind the lock, which a COMMIT that is still under way holds until it has ended."""
    try:
        async with services.database.tenant(tenant, patience_s=_LOOK_S) as connection:
            await AccountRepository(connection, tenant).lock()
            kept = await EventRepository(connection, tenant).outcome(arrival.event_id)
    except EngineUnavailable:
        return AnswerUnknown(arrival.event_id)
    return AnswerDelayed(arrival.event_id) if kept else EngineUnavailable("nothing was stored")

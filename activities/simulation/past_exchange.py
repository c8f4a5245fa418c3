"""Prepare past messages for a replay."""

from activities.agent.draft_answer import read_event
from activities.runtime.fair_normalizer import FairNormalizer
from domain.core.errors import OverBudget
from domain.core.ids import TenantId
from domain.intake.cut_event import cut_event
from domain.runs.conversation import ANSWERS_PER_HOUR
from domain.runs.errors import RunNotFound
from domain.simulation.exchange import SimulatedExchange
from store.core.database import Database
from store.intake.events import EventRepository
from store.simulation.past_events import PastEvent, SeenThen


class PastExchanges:
    """Past events, prepared for a replay. `answers_per_hour` is the same limit as in `Think`."""

    def __init__(
        self,
        database: Database,
        normalizer: FairNormalizer,
        *,
        answers_per_hour: int = ANSWERS_PER_HOUR,
    ) -> None:
        self._database = database
        self._normalizer = normalizer
        self._answers_per_hour = answers_per_hour

    async def of(self, tenant: TenantId, past: PastEvent) -> SimulatedExchange | None:
        """Return the message with its context at the time it was processed, or None if it was
        erased.

        A message without a playbook is normalized here for the first time. Its order stays unknown
        because the shop's orders have changed. Raises EngineUnavailable, LargeEventsWait.
        """
        if past.seen is None:
            return await self._unseen(tenant, past)
        return self._seen(past, past.seen)

    def _seen(self, past: PastEvent, seen: SeenThen) -> SimulatedExchange:
        return SimulatedExchange(
            event=seen.event,
            event_type=past.event_type,
            turns=seen.turns,
            thread=seen.thread,
            lookup=seen.lookup,
            spent=seen.spent,
            turns_left=self._answers_per_hour - seen.automatic_turns,
            attachments=past.files,
            run_id=seen.run_id,
            now=past.at,
        )

    async def _unseen(self, tenant: TenantId, past: PastEvent) -> SimulatedExchange | None:
        try:
            async with self._database.reading(tenant) as connection:
                inbound = await EventRepository(connection, tenant).inbound(past.id)
        except RunNotFound:
            return None
        try:
            normalized = await read_event(
                self._database, self._normalizer, tenant, inbound, fallback_ticket_id=past.id
            )
        except OverBudget:
            return SimulatedExchange(
                event=cut_event(inbound, fallback_ticket_id=past.id),
                event_type=past.event_type,
                now=past.at,
                unread=True,
            )
        return SimulatedExchange(
            event=normalized.event,
            event_type=past.event_type,
            attachments=past.files,
            run_id=past.id,
            now=past.at,
            steps=normalized.steps,
        )

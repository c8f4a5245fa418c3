"""Normalize large events, at most one at a time per client. A client with many large events
therefore does not delay other clients' events."""

from typing import Final

from domain.core.errors import CallerBusy
from domain.core.ids import TenantId
from domain.intake.errors import LargeEventsWait
from domain.intake.event import InboundEvent
from domain.intake.event_size import is_large
from domain.intake.ports import Normalized, Normalizer
from services.core.cpu_guard import in_slices
from services.core.fair_slots import FairSlots, Pays, all_pay
from services.core.fair_turns import FairTurns

# Maximum time that a large event waits before it is normalized, in seconds. It is shorter than the
# activity's timeout. An event that waits longer is retried.
_PATIENCE_S: Final = 4.0
# A waiting event uses memory and one of the worker's 100 activity slots, which all clients share.
# The number of waiting events is therefore limited, per client and in total.
_MOST_OF_ONE: Final = 8
_MOST: Final = 40


# The number of large events that are normalized concurrently. A part is kept for clients with a
# paid plan.
_SLOTS: Final = 2
_UNPAID: Final = 1


class FairNormalizer:
    """A normalizer with limits on large events. `pays` returns whether a client has a paid plan."""

    def __init__(
        self,
        normalizer: Normalizer,
        *,
        pays: Pays = all_pay,
        most_of_one: int = _MOST_OF_ONE,
        most: int = _MOST,
    ) -> None:
        self._normalizer = normalizer
        self._pays = pays
        self._slots = FairSlots(_SLOTS, unpaid=_UNPAID, patience_s=_PATIENCE_S)
        self._turns = FairTurns(patience_s=_PATIENCE_S, most_of_one=most_of_one, most=most)

    async def normalize(
        self,
        tenant: TenantId,
        event: InboundEvent,
        *,
        fallback_ticket_id: str,
        authserv_ids: tuple[str, ...],
    ) -> Normalized:
        """Return the normalized event, without awaiting if it is small. Raises OverBudget,
        EngineUnavailable, and LargeEventsWait if too many events are waiting."""

        async def normalized() -> Normalized:
            return await self._normalizer.normalize(
                event, fallback_ticket_id=fallback_ticket_id, authserv_ids=authserv_ids
            )

        if not is_large(event):
            return await in_slices(normalized())
        try:
            async with (
                self._turns.turn(tenant),
                self._slots.slot(tenant, pays=await self._pays(tenant)),
            ):
                return await normalized()
        except CallerBusy:
            raise LargeEventsWait from None

"""A limited number of slots for expensive work, divided fairly among clients."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from domain.core.errors import CallerBusy
from domain.core.ids import TenantId

Pays = Callable[[TenantId], Awaitable[bool]]
"""A function that returns whether a client has a paid plan. Raises EngineUnavailable."""


async def all_pay(_: TenantId) -> bool:
    """Return True, so that all clients are treated alike."""
    return True


@dataclass(eq=False, slots=True)
class _Slot:
    """A slot, or the wait for one. `pays` means that the client has a paid plan."""

    tenant: TenantId
    pays: bool
    granted: asyncio.Future[None] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class FairSlots:
    """Slots in order of arrival, at most one per client.

    Anyone can open an account, so clients without a paid plan together hold at most `unpaid` slots.
    `patience_s` is the maximum wait in seconds, or None.
    """

    def __init__(self, slots: int, *, unpaid: int, patience_s: float | None) -> None:
        self._slots = slots
        self._unpaid = unpaid
        self._patience_s = patience_s
        self._held: list[_Slot] = []
        self._waiting: list[_Slot] = []

    @asynccontextmanager
    async def slot(self, tenant: TenantId, *, pays: bool) -> AsyncIterator[None]:
        """Wait for a slot, and hold it while the block runs. Raises CallerBusy."""
        slot = _Slot(tenant, pays)
        self._waiting.append(slot)
        self._assign()
        try:
            await self._granted(slot)
            yield
        finally:
            for slots in (self._waiting, self._held):
                if slot in slots:
                    slots.remove(slot)
            self._assign()

    async def _granted(self, slot: _Slot) -> None:
        try:
            async with asyncio.timeout(self._patience_s):
                await slot.granted
        except TimeoutError:
            raise CallerBusy from None

    def _assign(self) -> None:
        for slot in [*self._waiting]:
            if self._has_room(slot) and not slot.granted.done():
                self._waiting.remove(slot)
                self._held.append(slot)
                slot.granted.set_result(None)

    def _has_room(self, slot: _Slot) -> bool:
        if len(self._held) >= self._slots or any(one.tenant == slot.tenant for one in self._held):
            return False
        return slot.pays or sum(not one.pays for one in self._held) < self._unpaid

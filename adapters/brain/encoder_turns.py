"""The order in which texts use the encoder, one at a time.

Questions of waiting customers come first, then other questions, then texts to store. Within each
kind, clients take turns.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from enum import IntEnum


class Urgency(IntEnum):
    """The kind of a text. Lower values are served first."""

    LIVE = 0
    SIMULATED = 1
    STORED = 2


_Turn = asyncio.Future[None]


class EncoderTurns:
    """The turns of one encoder. An instance belongs to one event loop."""

    def __init__(self) -> None:
        self._is_taken = False
        # Each client's waiting texts, in order of arrival. The client at the front is served next.
        self._waiting: dict[Urgency, OrderedDict[str, deque[_Turn]]] = {
            urgency: OrderedDict() for urgency in Urgency
        }

    @asynccontextmanager
    async def turn(self, client_id: str, urgency: Urgency) -> AsyncIterator[None]:
        """Wait for the text's turn, and keep it while the block runs. `client_id`: empty for texts
        that belong to no client."""
        if self._is_taken:
            await self._wait(client_id, urgency)
        self._is_taken = True
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, client_id: str, urgency: Urgency) -> None:
        granted: _Turn = asyncio.get_running_loop().create_future()
        clients = self._waiting[urgency]
        clients.setdefault(client_id, deque()).append(granted)
        try:
            await granted
        except asyncio.CancelledError:
            if granted.cancelled():
                clients[client_id].remove(granted)
                if not clients[client_id]:
                    del clients[client_id]
            else:  # The turn was granted just before the caller stopped waiting.
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Grant the turn to the next text."""
        for clients in self._waiting.values():
            for client_id, texts in clients.items():
                # A cancelled text is removed as soon as its caller runs.
                granted = next((text for text in texts if not text.done()), None)
                if granted is None:
                    continue
                texts.remove(granted)
                clients.move_to_end(client_id)
                if not texts:
                    del clients[client_id]
                granted.set_result(None)
                return
        self._is_taken = False

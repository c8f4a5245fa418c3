"""Inspect received files, one client's files at a time."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from domain.core.attached_file import AttachedFile
from domain.core.ids import TenantId
from domain.intake.attachment_type import Inspected, inspect
from services.core.fair_turns import FairTurns

_PATIENCE_S: Final = 4.0
# The number of waiting callers is limited because each of them keeps its files in memory.
_MOST_OF_ONE: Final = 8
_MOST: Final = 64
_THREADS: Final = 2


class FileInspector:
    """An inspector with its own threads. A client that sends many files delays only its own files,
    and no other work of the process, because all other work uses other threads."""

    def __init__(
        self,
        *,
        patience_s: float = _PATIENCE_S,
        most_of_one: int = _MOST_OF_ONE,
        most: int = _MOST,
    ) -> None:
        self._turns = FairTurns(patience_s=patience_s, most_of_one=most_of_one, most=most)
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="files")

    async def inspect(
        self, tenant: TenantId, files: Sequence[AttachedFile]
    ) -> tuple[Inspected, ...]:
        """Return the inspection results for the files of one event or reply, in order. Raises
        CallerBusy if too many of the client's callers are waiting."""
        if not files:
            return ()
        loop = asyncio.get_running_loop()
        async with self._turns.turn(tenant):
            inspecting = loop.run_in_executor(self._threads, inspect, files)
            # A thread cannot be stopped. A caller that leaves therefore keeps its turn until the
            # thread is free again.
            try:
                return await asyncio.shield(inspecting)
            except asyncio.CancelledError:
                await asyncio.wait([inspecting])
                raise

    def close(self) -> None:
        """Stop the threads. Inspections that have not started are cancelled."""
        self._threads.shutdown(wait=False, cancel_futures=True)

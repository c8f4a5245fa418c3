"""The service with tenants of three sizes to export."""

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Final

import psutil

from adapters.system import utc_now
from bench.contenders import GatewayContender
from bench.cpu import cpu_seconds
from bench.export_copies import FORMS, Copied, copy_by_psql, read_export, records_in
from bench.export_database import Exported, fill_for_export
from bench.export_figures import LARGEST, SIZES, ExportTurn, Memory
from bench.load import Target

_SAMPLED_S: Final = 0.02
# The exported shops are different from those that call the gateway.
_FIRST_SHOP: Final = 1_000
_MB: Final = 1024 * 1024
_NOWHERE: Final = Path("/dev/null")
# A client may run only one export at a time, so the two concurrent exports use the two largest
# clients.
_AT_ONCE: Final = tuple(zip((LARGEST, SIZES[-2]), FORMS.values(), strict=True))


class ExportContender(GatewayContender):
    """The service with tenants to export. `beside` names the gateway turns during which two exports
    run, one in each format."""

    def __init__(self, name: str, folder: Path, *, beside: str) -> None:
        super().__init__(name, folder)
        self._beside = beside
        self._file = folder / "copy"
        self._tenants: dict[int, Exported] = {}
        self._keys: dict[int, Iterator[str]] = {}
        self.filled_in_s = 0.0

    async def copy(self, number: int, contender: str, conversations: int) -> ExportTurn:
        """Copy all rows of the tenant that has that number of conversations into a file, and return
        the measured turn. Raises RuntimeError if the copy fails."""
        self._file.unlink(missing_ok=True)
        before = self._used()
        if contender in FORMS:
            copied = await self._export(conversations, FORMS[contender], self._file)
        else:
            client_id = self._tenants[conversations].client_id
            copied = await copy_by_psql(self.owner_url, client_id, contender, self._file)
        after, first = self._used(), copied.first_byte_s
        return ExportTurn(
            round=number,
            contender=contender,
            conversations=conversations,
            seconds=round(copied.seconds, 4),
            bytes=copied.bytes,
            records=await asyncio.to_thread(records_in, contender, self._file),
            cpu_s={name: round(after[name] - before[name], 2) for name in after},
            first_byte_ms=None if first is None else round(first * 1000, 2),
        )

    async def memory(self) -> Memory:
        """Measure the API's memory during concurrent exports of the two largest tenants, one in
        each format."""
        process = psutil.Process(self.pids["api"])
        before = peak = process.memory_info().rss
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._export(size, form, _NOWHERE)) for size, form in _AT_ONCE
            ]
            while not all(task.done() for task in tasks):
                peak = max(peak, process.memory_info().rss)
                await asyncio.sleep(_SAMPLED_S)
        return Memory(before_mb=round(before / _MB, 2), peak_mb=round(peak / _MB, 2))

    def during(self, turn: str) -> AbstractAsyncContextManager[None]:
        return self._exporting() if turn == self._beside else nullcontext()

    async def _fill(self) -> None:
        shops = {size: await self._shop(_FIRST_SHOP + n) for n, size in enumerate(SIZES)}
        began = time.monotonic()
        made = await asyncio.to_thread(fill_for_export, self.owner_url, shops, now=utc_now())
        self.filled_in_s = time.monotonic() - began
        self._tenants = {one.conversations: one for one in made}
        self._keys = {one.conversations: itertools.cycle(one.keys) for one in made}

    def _targets(self, port: int) -> dict[str, Target]:
        targets = super()._targets(port)
        return targets | {self._beside: targets[self.name]}

    def _used(self) -> dict[str, float]:
        """Return the CPU time used up to now, in seconds, by process."""
        pids = {name: self.pids[name] for name in ("postgres", "api")}
        readers = getrusage(RUSAGE_CHILDREN)
        return cpu_seconds(pids) | {"reader": readers.ru_utime + readers.ru_stime}

    async def _export(self, conversations: int, form: str, file: Path) -> Copied:
        return await read_export(self.port, next(self._keys[conversations]), form, file)

    @asynccontextmanager
    async def _exporting(self) -> AsyncIterator[None]:
        async def again_and_again(size: int, form: str) -> None:
            while True:
                await self._export(size, form, _NOWHERE)

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(again_and_again(*one)) for one in _AT_ONCE]
            try:
                yield
            finally:
                for task in tasks:
                    task.cancel()

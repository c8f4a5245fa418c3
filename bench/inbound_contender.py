"""The service while tenant A's shop sends 10,000 webhooks. The benchmark measures the latency of
other tenants' calls."""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from secrets import token_bytes
from typing import Final

import sqlalchemy as sa

from adapters.seal import FernetSealer
from adapters.system import new_ulid, utc_now
from bench.contenders import GatewayContender
from bench.load import Target
from bench.measure import BenchTurn
from domain.core.ids import TenantId
from domain.inbound.endpoint import SECRET_BYTES, TOKEN_BYTES, WantedEndpoint
from domain.integrations.integration import Integration
from domain.integrations.providers import Provider
from domain.tenants.actor import Actor
from embedded.process import Child
from services.core.unit_of_work import UnitOfWork
from services.inbound.endpoints import DrawnBytes, open_endpoint
from store.core.database import Database
from store.inbound.tables import inbound_webhooks
from store.integrations.integrations import IntegrationRepository

SILENT: Final = "silent"
NOTIFIED: Final = "notified"
ARRIVALS: Final = 10_000

# Tenant A's shop is not one of the shops that call the gateway.
_TELLER: Final = 2_001
_CALLERS: Final = 4
_STEADY: Final = 8.0
_STOP_S: Final = 5.0
_ALL_IN_S: Final = 600.0
# During this time, all webhooks arrive and some of them are processed.
_AT_LEAST_S: Final = 40.0


def inbound_turns(rounds: int, seconds: float) -> Iterator[BenchTurn]:
    """Yield turns in which calls are scheduled at a steady rate. If a call starts late, its latency
    is measured from its scheduled time."""
    lasts = max(_AT_LEAST_S, 1.5 * seconds)
    for number in range(rounds):
        for name in (SILENT, NOTIFIED) if number % 2 == 0 else (NOTIFIED, SILENT):
            yield BenchTurn(number, name, _CALLERS, 1, lasts, rate=_STEADY)


class InboundContender(GatewayContender):
    def __init__(self, folder: Path) -> None:
        super().__init__(SILENT, folder)
        self._log = folder / "logs" / "inbound-sender.log"
        self._teller = TenantId("")
        self._path = ""
        self._secret = ""
        self._sent = 0

    def during(self, turn: str) -> AbstractAsyncContextManager[None]:
        return self._notified() if turn == NOTIFIED else nullcontext()

    async def _fill(self) -> None:
        """Connect tenant A's shop and open its webhook endpoint."""
        self._teller = TenantId((await self._shop(_TELLER)).client_id)
        integration = Integration(id=new_ulid(), provider=Provider.WOOCOMMERCE, sealed="")
        drawn = DrawnBytes(token_bytes(TOKEN_BYTES), token_bytes(SECRET_BYTES))
        sealer = FernetSealer(self._folder.seal_key())
        database = Database(self.database_url, pool_size=1)
        try:
            async with database.tenant(self._teller) as connection:
                await IntegrationRepository(connection, self._teller).connect(
                    integration, utc_now(), new_ulid
                )
                opened = await open_endpoint(
                    UnitOfWork(connection, self._teller, utc_now(), new_ulid),
                    Actor.operator("bench"),
                    integration.id,
                    WantedEndpoint(),
                    drawn,
                    sealer=sealer,
                )
        finally:
            await database.close()
        self._path = f"/api/webhooks/{Provider.WOOCOMMERCE}/{opened.token}"
        self._secret = opened.secret or ""

    def _targets(self, port: int) -> dict[str, Target]:
        targets = super()._targets(port)
        return targets | {NOTIFIED: targets[self.name]}

    @asynccontextmanager
    async def _notified(self) -> AsyncIterator[None]:
        """Send all webhooks during the block, then wait for their arrival, and delete them. Raises
        RuntimeError if some were not accepted."""
        command = [sys.executable, "-m", "bench.inbound_sender", "--port", str(self.port)]
        command += ["--path", self._path, "--secret", self._secret]
        command += ["--first", str(self._sent + 1), "--number", str(ARRIVALS)]
        self._sent += ARRIVALS
        sender = Child("sender", command, log=self._log)
        try:
            yield
            await asyncio.to_thread(sender.wait, _ALL_IN_S)
            if sender.exit_code != 0 or await self._remove() != ARRIVALS:
                raise RuntimeError(f"not all webhooks were accepted; see {self._log}")
        finally:
            sender.terminate()
            sender.wait(_STOP_S)

    async def _remove(self) -> int:
        database = Database(self.database_url, pool_size=1)
        try:
            async with database.tenant(self._teller) as connection:
                removed = await connection.execute(sa.delete(inbound_webhooks))
                return removed.rowcount
        finally:
            await database.close()

"""The service while tenant A floods it with requests. The benchmark measures the latency of other
tenants' calls."""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import Final

import sqlalchemy as sa

from adapters.system import new_ulid, utc_now
from bench.contenders import GatewayContender
from bench.load import LoadShop, Target
from bench.measure import BenchTurn
from domain.core.ids import TenantId
from domain.intake.gateway_limits import PER_CLIENT
from embedded.process import Child
from store.core.database import Database
from store.intake.tables import engine_events
from store.runs.tables import engine_messages

UNFLOODED: Final = "unflooded"
SLOW_SOCKETS: Final = "slow sockets"
REFUSED_FLOOD: Final = "refused flood"

_KINDS: Final = {SLOW_SOCKETS: "slow", REFUSED_FLOOD: "refused"}
# Tenant A's shop is not one of the shops that call the gateway.
_ATTACKER: Final = 2_000
_CALLERS: Final = 4
_STEADY: Final = 8.0
_SETTLED_S: Final = 2.0
_STOP_S: Final = 5.0


def flood_turns(rounds: int, seconds: float) -> Iterator[BenchTurn]:
    """Yield turns in which calls are scheduled at a steady rate. If a call starts late, its latency
    is measured from its scheduled time."""
    names = [UNFLOODED, SLOW_SOCKETS, REFUSED_FLOOD]
    for number in range(rounds):
        for name in names[number % 3 :] + names[: number % 3]:
            yield BenchTurn(number, name, _CALLERS, 1, 1.5 * seconds, rate=_STEADY)


class FloodContender(GatewayContender):
    def __init__(self, folder: Path) -> None:
        super().__init__(UNFLOODED, folder)
        self._log = folder / "logs" / "flooder.log"
        self._attacker: LoadShop | None = None

    def during(self, turn: str) -> AbstractAsyncContextManager[None]:
        kind = _KINDS.get(turn)
        return nullcontext() if kind is None else self._flooded(kind)

    async def _fill(self) -> None:
        """Store as many messages for tenant A as it may send in an hour, so that tenant A has
        reached its limit."""
        self._attacker = await self._shop(_ATTACKER)
        tenant, now = TenantId(self._attacker.client_id), utc_now()
        ids = [new_ulid() for _ in range(PER_CLIENT.messages)]
        event = {"client_id": tenant, "event_type": "x", "outcome": "no_playbook"}
        message = {"client_id": tenant, "direction": "inbound", "author": "customer", "body": ""}
        database = Database(self.database_url, pool_size=1)
        try:
            async with database.tenant(tenant) as connection:
                events = [{**event, "id": one, "received_at": now} for one in ids]
                await connection.execute(sa.insert(engine_events), events)
                messages = [
                    {**message, "id": new_ulid(), "event_id": one, "created_at": now} for one in ids
                ]
                await connection.execute(sa.insert(engine_messages), messages)
        finally:
            await database.close()

    def _targets(self, port: int) -> dict[str, Target]:
        targets = super()._targets(port)
        return targets | dict.fromkeys(_KINDS, targets[self.name])

    @asynccontextmanager
    async def _flooded(self, kind: str) -> AsyncIterator[None]:
        if self._attacker is None:
            raise RuntimeError("not started")
        command = [sys.executable, "-m", "bench.flooder", kind, "--port", str(self.port)]
        command += ["--key", self._attacker.key, "--client", self._attacker.client_id]
        flooder = Child("flooder", command, log=self._log)
        try:
            await asyncio.sleep(_SETTLED_S)
            if flooder.exit_code is not None:
                raise RuntimeError(f"the flood ended; see {self._log}")
            yield
        finally:
            flooder.terminate()
            flooder.wait(_STOP_S)

"""Units of work, and an engine that records what they start."""

from collections.abc import Sequence

from adapters.system import new_ulid, utc_now
from domain.core.contracts import BackgroundRef, RunRef
from domain.core.errors import EngineUnavailable
from services.core.unit_of_work import UnitsOfWork
from store.core.database import Database


class Recorder:
    """An engine that records its start requests, or is unavailable."""

    def __init__(self, *, away: bool = False) -> None:
        self.away = away
        self.sent: list[str] = []
        self.woken: list[tuple[RunRef, str]] = []
        self.begun: list[tuple[str, BackgroundRef]] = []

    async def wake(self, ref: RunRef, escalation_id: str) -> bool:
        self._answer()
        self.woken.append((ref, escalation_id))
        return True

    async def begin(self, workflow: str, work: BackgroundRef) -> bool:
        self._answer()
        self.begun.append((workflow, work))
        return True

    async def send_webhooks(self, client_id: str, delivery_ids: Sequence[str]) -> None:
        assert client_id
        self._answer()
        self.sent += delivery_ids

    def _answer(self) -> None:
        if self.away:
            raise EngineUnavailable("away")


def units_on(database: Database, engine: Recorder | None = None) -> UnitsOfWork:
    return UnitsOfWork(database, engine or Recorder(), utc_now, new_ulid)

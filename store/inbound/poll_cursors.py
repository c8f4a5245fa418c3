"""How far each platform has been polled."""

from collections.abc import Mapping
from datetime import datetime

from domain.integrations.poll_cursor import PollCursor
from store.core.repository import TenantRepository


class PollCursorRepository(TenantRepository):
    async def read(self, integration_id: str) -> PollCursor | None:
        """None before the first poll."""
        raise NotImplementedError

    async def advance(
        self, integration_id: str, position: Mapping[str, str], now: datetime
    ) -> None:
        """Note how far all was read; what failed before is forgotten."""
        raise NotImplementedError

    async def fail(self, integration_id: str, error_code: str, now: datetime) -> None:
        """Note that a poll failed, one more in a row."""
        raise NotImplementedError

    async def forget(self, integration_id: str) -> None:
        raise NotImplementedError

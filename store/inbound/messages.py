"""Claims on platform messages. A message that arrives both by webhook and by poll is processed only
once."""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from store.core.repository import TenantRepository
from store.inbound.tables import inbound_messages

_MESSAGES = inbound_messages.c


class InboundMessageRepository(TenantRepository):
    """One client's claims on messages. `integration_id` and `message_key` identify a message."""

    async def claim(
        self, integration_id: str, message_key: str, *, webhook_id: str, now: datetime
    ) -> bool:
        """Claim a message for a webhook. Return False if another webhook has claimed it. Waits for
        a concurrent claim to end."""
        claimed = await self._connection.execute(
            insert(inbound_messages)
            .values(
                client_id=self._tenant,
                integration_id=integration_id,
                message_key=message_key,
                webhook_id=webhook_id,
                created_at=now,
            )
            .on_conflict_do_nothing()
            .returning(_MESSAGES.message_key)
        )
        return claimed.one_or_none() is not None

    async def is_taken(self, integration_id: str, message_key: str) -> bool:
        """Return whether a webhook has claimed the message."""
        found = await self._connection.scalar(
            sa.select(_MESSAGES.webhook_id).where(
                _MESSAGES.client_id == self._tenant,
                _MESSAGES.integration_id == integration_id,
                _MESSAGES.message_key == message_key,
            )
        )
        return found is not None

    async def release(self, integration_id: str, message_key: str) -> None:
        """Undo a claim made in this transaction, so that the message can be claimed later."""
        await self._connection.execute(
            sa.delete(inbound_messages).where(
                _MESSAGES.client_id == self._tenant,
                _MESSAGES.integration_id == integration_id,
                _MESSAGES.message_key == message_key,
            )
        )

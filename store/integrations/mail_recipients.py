"""Check whether an email's recipient has contacted the client through one of the service's
channels."""

from typing import Final

import sqlalchemy as sa

from domain.integrations.providers import MAIL_PROVIDERS
from store.core.repository import TenantRepository


class MailRecipientRepository(TenantRepository):
    async def has_proved(self, address: str) -> bool:
        """Return True if a visitor has verified this address with a code in one of the client's
        widget sessions. `address`: in lowercase."""
        return bool(
            await self._connection.scalar(_PROVED, {"tenant": self._tenant, "address": address})
        )

    async def wrote_this(self, address: str, run_id: str) -> bool:
        """Return True if a mail provider's webhook delivered the run's email from this address with
        an authenticated sender. `address` is in lower case."""
        return bool(
            await self._connection.scalar(
                _WROTE,
                {
                    "tenant": self._tenant,
                    "run": run_id,
                    "address": address,
                    "providers": sorted(MAIL_PROVIDERS),
                },
            )
        )


_PROVED: Final = sa.text("""
    SELECT EXISTS (
        SELECT FROM widget_sessions
        WHERE client_id = :tenant AND verified_by = 'code' AND lower(verified_email) = :address)
""")
_WROTE: Final = sa.text("""
    SELECT EXISTS (
        SELECT FROM engine_runs AS run
        JOIN engine_events AS event
          ON event.client_id = run.client_id AND event.id = run.event_id
        WHERE run.client_id = :tenant AND run.id = :run AND event.erased_at IS NULL
          AND event.received_by = ANY(:providers)
          AND event.unified ->> 'channel' = 'email'
          AND event.unified ->> 'sender_authenticated' = 'true'
          AND lower(event.unified ->> 'customer_email') = :address)
""")

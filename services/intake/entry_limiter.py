"""The entry limiter admits one caller per client at a time in this process. An event that would
certainly be rejected fails at once, without a lock or transaction."""

from collections import OrderedDict
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Final

from domain.core.errors import OverBudget
from domain.core.ids import TenantId
from domain.core.ports import Clock
from domain.intake.errors import ClientRateLimited, CustomerRateLimited
from domain.intake.event import InboundEvent
from domain.intake.gateway_limits import PER_CLIENT, PER_CUSTOMER, MessageLimit
from domain.intake.limit_key import limit_key, needs_mail_servers
from domain.widget.errors import WidgetShareUsed
from domain.widget.share import WidgetShare
from services.core.cpu_guard import limited
from services.core.gate import Gate

# In this process, one client's admissions take turns. A client that has many concurrent callers, or
# a locked row, therefore cannot use up the database connections.
_PATIENCE_S: Final = 4.0
_MAX_FULL: Final = 50_000

MessagesRefused = CustomerRateLimited | ClientRateLimited | WidgetShareUsed

_Whose = tuple[TenantId, bytes | int | None]
"""The key of a message window: a client and a second value. The second value is a customer's
digest, the message limit of a widget share, or None for the client's own window."""


class EntryLimiter:
    """A cache of full message windows, each with the time of its oldest message.

    A full window stays full in every process until that message expires. Evicting one costs only a
    query.
    """

    def __init__(self, *, patience_s: float = _PATIENCE_S, max_full: int = _MAX_FULL) -> None:
        self._gate: Gate[TenantId] = Gate(patience_s=patience_s)
        self._full: OrderedDict[_Whose, datetime] = OrderedDict()
        self._max_full = max_full

    def enter(self, tenant: TenantId) -> AbstractAsyncContextManager[None]:
        """Wait for the client's turn, and keep it while the block runs. Raises CallerBusy,
        EngineUnavailable."""
        return self._gate.enter(tenant)

    def note(
        self, tenant: TenantId, refused: MessagesRefused, share: WidgetShare | None = None
    ) -> None:
        """Cache the limit that rejected an event. `share` is the widget share that applies to the
        visitor."""
        if refused.oldest is None:
            return
        whose: _Whose = tenant, None
        if isinstance(refused, CustomerRateLimited):
            whose = tenant, refused.key
        elif isinstance(refused, WidgetShareUsed) and share is not None:
            whose = tenant, share.messages
        self._full[whose] = refused.oldest
        self._full.move_to_end(whose)
        if len(self._full) > self._max_full:
            self._full.popitem(last=False)

    def known_refusal(
        self, tenant: TenantId, event: InboundEvent, clock: Clock, share: WidgetShare | None = None
    ) -> MessagesRefused | None:
        """Return the error with which the event would certainly be rejected, or None if the
        database must decide.

        The customer's window is skipped if finding the customer needs a query (an authenticated
        email) or is too expensive.
        """
        if not self._full:
            return None
        now = clock()
        try:
            key = limited(lambda: None if needs_mail_servers(event) else limit_key(event))
        except OverBudget:
            key = None
        if key is not None:
            oldest = self._still_full((tenant, key.digest()), PER_CUSTOMER, now)
            if oldest is not None:
                wait_s = PER_CUSTOMER.retry_after_s(oldest, now)
                return CustomerRateLimited(event.customer_email or key.customer, wait_s)
        oldest = self._still_full((tenant, None), PER_CLIENT, now)
        if oldest is not None:
            return ClientRateLimited(PER_CLIENT.retry_after_s(oldest, now))
        if share is not None:
            # Widget shares with different limits have different windows.
            oldest = self._still_full((tenant, share.messages), PER_CLIENT, now)
            if oldest is not None:
                return WidgetShareUsed(PER_CLIENT.retry_after_s(oldest, now))
        return None

    def _still_full(self, whose: _Whose, limit: MessageLimit, now: datetime) -> datetime | None:
        oldest = self._full.get(whose)
        if oldest is not None and oldest + limit.window <= now:
            del self._full[whose]
            return None
        return oldest

"""The gateway's limits: messages a customer, messages a client, in sliding windows."""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final


@dataclass(frozen=True, slots=True)
class MessageLimit:
    """At most `messages` within any `window`."""

    messages: int
    window: timedelta

    def retry_after_s(self, oldest: datetime, now: datetime) -> int:
        """Whole seconds until one more fits, at least 1; `oldest`: the first that still counts."""
        return max(1, math.ceil((oldest + self.window - now).total_seconds()))


PER_CUSTOMER: Final = MessageLimit(10, timedelta(minutes=10))
"""For one customer_email of one client. Nothing overrides it."""

PER_CLIENT: Final = MessageLimit(200, timedelta(hours=1))

"""The gateway's limits: messages per customer and per client, in sliding windows."""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final


@dataclass(frozen=True, slots=True)
class MessageLimit:
    """A rate limit: at most `messages` messages in any period of length `window`."""

    messages: int
    window: timedelta

    def retry_after_s(self, oldest: datetime, now: datetime) -> int:
        """Return the number of seconds until one more message is allowed: a whole number, at least
        1.

        `oldest`: time of the oldest message that still counts toward the limit.
        """
        return max(1, math.ceil((oldest + self.window - now).total_seconds()))


PER_CUSTOMER: Final = MessageLimit(10, timedelta(minutes=10))
"""Rate limit for each of a client's `customer_email` addresses. No setting overrides this limit."""

PER_CLIENT: Final = MessageLimit(200, timedelta(hours=1))

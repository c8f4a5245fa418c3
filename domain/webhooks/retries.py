"""When a failed delivery is retried, and when it is given up."""

from typing import Final

from domain.webhooks.delivery import DeliveryAttempt, Trigger
from domain.webhooks.webhook import RetryPolicy

# Seconds to wait before each retry, from the Standard Webhooks specification.
SCHEDULE: Final = (
    5.0, 5 * 60.0, 30 * 60.0, 2 * 3600.0, 5 * 3600.0, 10 * 3600.0, 14 * 3600.0, 20 * 3600.0,
    24 * 3600.0,
)  # fmt: skip
_JITTER: Final = 0.1
_LONGEST_RETRY_AFTER_S: Final = 24 * 3600.0
# HTTP statuses that indicate an overloaded receiver, or an overloaded proxy in front of it.
_OVERLOADED: Final = frozenset({429, 502, 504})
_SLOWED_DOWN_S: Final = 60.0


def says_gone(attempt: DeliveryAttempt, policy: RetryPolicy) -> bool:
    """Return True if the receiver permanently rejects further events: it responded with 410 to a
    webhook that has retries."""
    return policy is RetryPolicy.STANDARD and attempt.response_status == 410


def retry_in_s(
    attempt: DeliveryAttempt, number: int, trigger: Trigger, policy: RetryPolicy, randomness: float
) -> float | None:
    """Return the seconds until the attempt after the failed attempt `number` (from 1), or None to
    give up.

    A Retry-After header can only delay it. `randomness`, from 0 to 1, adds up to a tenth, so that
    retries after an outage do not coincide.
    """
    if policy is RetryPolicy.NONE or trigger is Trigger.TEST or says_gone(attempt, policy):
        return None
    if number > len(SCHEDULE):
        return None
    wait = SCHEDULE[number - 1]
    if attempt.response_status in _OVERLOADED:
        wait = max(wait, _SLOWED_DOWN_S)
    if attempt.retry_after_s is not None:
        wait = max(wait, min(attempt.retry_after_s, _LONGEST_RETRY_AFTER_S))
    return wait * (1 + _JITTER * randomness)

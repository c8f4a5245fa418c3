"""The port of billing: a payment provider."""

from dataclasses import dataclass
from typing import Protocol

from domain.billing.checkout import Checkout
from domain.core.money import Money


@dataclass(frozen=True, slots=True)
class OpenedCheckout:
    """`url`: the provider's payment page."""

    session_id: str
    url: str


class Payments(Protocol):
    """The payment provider. Each call is idempotent.

    Raises PaymentsUnreachable if the call may not have taken effect.
    """

    async def open(self, checkout: Checkout) -> OpenedCheckout:
        """Open the provider's payment page, once per checkout id."""

    async def renew(self, subscription_id: str, monthly: Money | None) -> None:
        """Set the monthly payment from the next month on; None ends it."""

    async def end(self, subscription_id: str) -> None:
        """End a monthly payment immediately; no effect if it has ended."""

"""Ports of billing."""

from dataclasses import dataclass
from typing import Protocol

from domain.billing.checkout import Checkout
from domain.core.money import Money


@dataclass(frozen=True, slots=True)
class OpenedCheckout:
    """A checkout opened at the provider. `url`: the provider's payment page."""

    session_id: str
    url: str


class Payments(Protocol):
    """A payment provider.

    Each call is idempotent, and raises PaymentsUnreachable if it may not have taken effect.
    """

    async def open(self, checkout: Checkout) -> OpenedCheckout:
        """Open the provider's payment page, once per checkout id."""

    async def renew(self, subscription_id: str, monthly: Money | None) -> None:
        """Set the monthly payment from the next month on; None ends the monthly payment."""

    async def end(self, subscription_id: str) -> None:
        """End a monthly payment immediately. Has no effect if it has already ended."""

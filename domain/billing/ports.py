"""The port for the payment provider, and the checkout that the provider opens."""

from dataclasses import dataclass
from typing import Protocol

from domain.billing.checkout import Checkout
from domain.core.money import Money


@dataclass(frozen=True, slots=True)
class OpenedCheckout:
    """A checkout that was opened with the payment provider. `url` is the provider's payment
    page."""

    session_id: str
    url: str


class Payments(Protocol):
    """A payment provider.

    Each method is idempotent, and raises PaymentsUnreachable if its call might not have taken
    effect.
    """

    async def open(self, checkout: Checkout) -> OpenedCheckout:
        """Open the payment provider's page for a checkout, and return the page. A repeated call
        with the same checkout id does not open a second page."""

    async def renew(self, subscription_id: str, monthly: Money | None) -> None:
        """Set the amount of the monthly payment, starting next month. None ends the monthly
        payment."""

    async def end(self, subscription_id: str) -> None:
        """End a monthly payment immediately. The call has no effect if the payment has already
        ended."""

"""What billing needs from outside."""

from dataclasses import dataclass
from typing import Protocol

from domain.billing.checkout import Checkout
from domain.core.money import Money


@dataclass(frozen=True, slots=True)
class OpenedCheckout:
    """`url`: the provider's page where it is paid."""

    session_id: str
    url: str


class Payments(Protocol):
    """The payment provider. Each call may be repeated: it is done once.

    Raises PaymentsUnreachable where it is not known to be done.
    """

    async def open(self, checkout: Checkout) -> OpenedCheckout:
        """Have the provider show a page where this is paid; once for the checkout's id."""

    async def renew(self, subscription_id: str, monthly: Money | None) -> None:
        """What is paid monthly from the next month on; None: nothing any more."""

    async def end(self, subscription_id: str) -> None:
        """End a monthly payment at once; nothing if it has ended."""

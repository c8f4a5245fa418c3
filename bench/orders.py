"""The orders that the gateway's callers ask about: one order per customer in each shop.

The benchmark measures questions that the agent answers without a human, so each customer must ask
about their own order.
"""

import random
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from adapters.demo.shop import DemoOrder, open_demo_shop
from demo.orders import DemoNumbers
from demo.tickets import SampleTicket, sample_tickets
from domain.core.money import Money
from domain.integrations.order import OrderState

_FIRST: Final = 10_000
_ORDERS: Final = 1_000
_AGE: Final = timedelta(days=4)


def stock(path: Path, now: datetime) -> None:
    """Write a demo shop with all the orders to the file at `path`."""
    orders = (
        DemoOrder(
            number=numbers.shipped,
            customer_email=numbers.camille,
            state=OrderState.SHIPPED,
            total=Money(minor=8_900, currency="EUR"),
            placed_at=now - _AGE,
            items=("1 × couverture en lin lavé",),
            tracking_url=f"https://suivi.example/{numbers.shipped}",
        )
        for numbers in (DemoNumbers(_FIRST + number) for number in range(_ORDERS))
    )
    open_demo_shop(path, tuple(orders))


class Askers:
    """The customers of all shops, alternating between the shops. There are more of them than a
    shop's hourly message limit.

    Each driver starts at a random customer, so that it rarely continues another's conversations.
    """

    def __init__(self) -> None:
        self._next = random.randrange(_ORDERS)

    def next_of_all(self) -> None:
        """Advance to the next customer, in every shop."""
        self._next = (self._next + 1) % _ORDERS

    def shop_ticket(self) -> SampleTicket:
        """Return the tour's first ticket. Its answer is in the HTTP response."""
        return sample_tickets(self._numbers)[0]

    def mail(self) -> SampleTicket:
        """Return the question from `shop_ticket` as an email. The answer is also sent by email."""
        numbers = self._numbers
        return SampleTicket(
            "Mail, answered by mail",
            {
                "event_type": "email.inbound",
                "source": "email",
                "from": f"Emma Clark <{numbers.camille}>",
                "to": "support@maison-lavande.example",
                "subject": f"Where is my order {numbers.shipped}?",
                "html_body": f"<p>Hello,</p><p>Where is my order number {numbers.shipped}? Has it "
                "been shipped?</p><p>Emma</p>",
            },
            status="completed",
            classification="order_status",
            sends_mail=True,
        )

    @property
    def _numbers(self) -> DemoNumbers:
        return DemoNumbers(_FIRST + self._next)

"""The demo shop's orders, and the order actions that its playbook allows."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from adapters.demo.shop import DemoOrder, open_demo_shop, order_count
from domain.agent.brain import Category
from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionLevel, ActionRule, MoneyLimits, Rulebook
from domain.core.money import Money
from domain.integrations.order import OrderState

RULEBOOK: Final = Rulebook(
    instructions="Speak warmly and briefly. Promise nothing that is not in our own texts.",
    actions={
        ActionKind.REFUND: ActionRule(
            level=ActionLevel.AUTONOMOUS,
            categories=(Category.REFUND_REQUEST,),
            limits=MoneyLimits(
                currency="EUR", per_action=6_000, per_customer=15_000, per_day=1_000_000
            ),
            within_days=30,
        ),
        ActionKind.CANCEL_ORDER: ActionRule(
            level=ActionLevel.HUMAN_APPROVED, categories=(Category.REFUND_REQUEST,)
        ),
    },
)
"""The demo shop's rules. Refunds up to 60 euros need no approval, larger refunds need two
approvers, and cancellations need one."""

# The number of orders in each tour.
_ORDERS: Final = 6


@dataclass(frozen=True, slots=True)
class DemoNumbers:
    """The order numbers used in one tour, by purpose, and the addresses of its customers.

    Each tour has its own orders and customers, because refunds and conversations from earlier tours
    still exist.
    """

    first: int

    @property
    def shipped(self) -> str:
        return str(self.first)

    @property
    def small(self) -> str:
        return str(self.first + 1)

    @property
    def large(self) -> str:
        return str(self.first + 2)

    @property
    def open(self) -> str:
        return str(self.first + 3)

    @property
    def asked(self) -> str:
        return str(self.first + 4)

    @property
    def chatted(self) -> str:
        return str(self.first + 5)

    @property
    def reported(self) -> str:
        """The number of an order that only a webhook reports. The demo shop does not contain it."""
        return str(500_000 + self.first)

    @property
    def camille(self) -> str:
        return f"camille.durand+{self.first}@example.com"

    @property
    def lea(self) -> str:
        return f"lea.martin+{self.first}@example.com"

    @property
    def hugo(self) -> str:
        return f"hugo.bernard+{self.first}@example.com"

    @property
    def ines(self) -> str:
        return f"ines.petit+{self.first}@example.com"

    @property
    def nora(self) -> str:
        return f"nora.leroy+{self.first}@example.com"

    @property
    def emma(self) -> str:
        return f"emma.clark+{self.first}@example.com"

    @property
    def zoe(self) -> str:
        return f"zoe.moreau+{self.first}@example.com"

    @property
    def noemie(self) -> str:
        return f"noemie.roux+{self.first}@example.com"

    @property
    def paul(self) -> str:
        return f"paul.faure+{self.first}@example.com"

    @property
    def rose(self) -> str:
        return f"rose.garnier+{self.first}@example.com"

    @property
    def mallory(self) -> str:
        return f"mallory+{self.first}@example.com"


def stock(path: Path, now: datetime) -> DemoNumbers:
    """Add the orders for a new tour to the demo shop, and return their numbers. The shop's file is
    created on first use."""
    open_demo_shop(path, ())
    # Start after all existing orders, at a multiple of the number of orders per tour.
    numbers = DemoNumbers(1042 + _ORDERS * -(-order_count(path) // _ORDERS))
    open_demo_shop(path, orders_of(numbers, now))
    return numbers


def orders_of(numbers: DemoNumbers, now: datetime) -> tuple[DemoOrder, ...]:
    """Return the orders for a tour in their initial state, four days before `now`."""
    orders = (
        (numbers.shipped, numbers.camille, "89.00", OrderState.SHIPPED, "couverture en lin lavé"),
        (numbers.small, numbers.lea, "49.00", OrderState.DELIVERED, "peignoir en coton, M"),
        (numbers.large, numbers.hugo, "320.00", OrderState.DELIVERED, "lampe Aube"),
        (numbers.open, numbers.ines, "120.00", OrderState.OPEN, "lampe Aube"),
        (numbers.asked, numbers.nora, "39.00", OrderState.DELIVERED, "couverture en lin lavé"),
        (numbers.chatted, numbers.zoe, "49.00", OrderState.SHIPPED, "peignoir en coton, L"),
    )
    return tuple(
        DemoOrder(
            number=number,
            customer_email=email,
            state=state,
            total=Money.parse(total, "EUR"),
            placed_at=now - timedelta(days=4),
            items=(f"1 × {item}",),
            tracking_url=None if state is OrderState.OPEN else f"https://suivi.example/{number}",
        )
        for number, email, total, state, item in orders
    )

"""The folder of the demo shops that members have connected. It contains one file per client."""

import asyncio
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from adapters.demo.shop import DemoOrder, open_demo_shop
from domain.core.ids import TenantId
from domain.core.money import Money
from domain.integrations.order import OrderState

_ORDERS: Final = (
    ("1042", "camille.durand@example.com", "89.00", OrderState.SHIPPED, "couverture en lin lavé"),
    ("1043", "lea.martin@example.com", "49.00", OrderState.DELIVERED, "peignoir en coton, M"),
    ("1044", "hugo.bernard@example.com", "320.00", OrderState.DELIVERED, "lampe Aube"),
    ("1045", "ines.petit@example.com", "120.00", OrderState.OPEN, "lampe Aube"),
    ("1046", "emma.clark@example.com", "39.00", OrderState.SHIPPED, "peignoir en coton, L"),
)


def sample_orders(now: datetime) -> tuple[DemoOrder, ...]:
    """Return the orders for a new demo shop. They were placed a few days before `now`."""
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
        for number, email, total, state, item in _ORDERS
    )


class DemoShopFolder:
    """The folder that contains the demo shops' files. Each file is named after its client's id,
    which cannot contain a path."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def open(self, tenant: TenantId, now: datetime) -> str:
        """Return the path of the client's demo shop, created with the sample orders if missing. An
        existing shop keeps its refunds."""
        path = self._path(tenant)
        await asyncio.to_thread(self._make, path, now)
        return str(path)

    def is_own(self, tenant: TenantId, path: str) -> bool:
        """Return True if `path` is the path that `open` returns for this client."""
        return path == str(self._path(tenant))

    def _path(self, tenant: TenantId) -> Path:
        return self._folder.absolute() / f"{tenant}.sqlite"

    def _make(self, path: Path, now: datetime) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        open_demo_shop(path, sample_orders(now))

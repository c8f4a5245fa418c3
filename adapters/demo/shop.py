"""The demo shop: orders in a local SQLite file. The orders can be refunded and cancelled."""

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Self, TypeVar

import httpx

from domain.agent.plan import ActionKind
from domain.core.money import Money
from domain.intake.customer_email import customer_key
from domain.integrations.errors import ActionRefused, ActionUnknown, ActionUnreachable
from domain.integrations.integration import Integration
from domain.integrations.order import Order, OrderState
from domain.integrations.providers import Provider

T = TypeVar("T")

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS orders (
    number TEXT PRIMARY KEY COLLATE NOCASE,
    email TEXT,
    email_key TEXT,
    state TEXT NOT NULL,
    minor INTEGER NOT NULL,
    currency TEXT NOT NULL,
    placed_at TEXT NOT NULL,
    tracking_url TEXT,
    items TEXT NOT NULL,
    note TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS movements (
    key TEXT PRIMARY KEY,
    number TEXT NOT NULL REFERENCES orders,
    kind TEXT NOT NULL,
    minor INTEGER NOT NULL
);
"""
_SELECT: Final = """
SELECT number, email, state, minor, currency, placed_at, tracking_url, items, note,
       minor - COALESCE((SELECT SUM(m.minor) FROM movements m WHERE m.number = o.number), 0)
FROM orders o
"""
_WAIT_S: Final = 2.0


@dataclass(frozen=True)
class DemoOrder:
    """An initial order of the demo shop. `number` is the order number without "#"."""

    number: str
    customer_email: str
    state: OrderState
    total: Money
    placed_at: datetime
    items: tuple[str, ...]
    tracking_url: str | None = None
    note: str = ""


@dataclass(frozen=True)
class Movement:
    """Money that the demo shop returned through a refund or a cancellation. `key` is the write's
    idempotency key."""

    key: str
    number: str
    kind: ActionKind
    amount: Money


def open_demo_shop(path: Path, orders: Sequence[DemoOrder]) -> None:
    """Create the demo shop's file with these orders. Existing orders keep their state."""
    with _file(path, "rwc") as connection:
        connection.executescript(_TABLES)
        connection.executemany(
            "INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [
                (
                    order.number,
                    order.customer_email,
                    customer_key(order.customer_email),
                    order.state,
                    order.total.minor,
                    order.total.currency,
                    order.placed_at.astimezone(UTC).isoformat(),
                    order.tracking_url,
                    json.dumps(order.items),
                    order.note,
                )
                for order in orders
            ],
        )


def order_count(path: Path) -> int:
    """Return the number of orders in the demo shop."""
    with _file(path, "ro") as connection:
        return int(connection.execute("SELECT count(*) FROM orders").fetchone()[0])


def movements(path: Path) -> tuple[Movement, ...]:
    """Return all refunds and cancellations of the demo shop, oldest first."""
    with _file(path, "ro") as connection:
        rows = connection.execute(
            "SELECT m.key, m.number, m.kind, m.minor, o.currency FROM movements m"
            " JOIN orders o USING (number) ORDER BY m.rowid"
        ).fetchall()
    return tuple(
        Movement(key, number, ActionKind(kind), Money(minor=minor, currency=currency))
        for key, number, kind, minor, currency in rows
    )


class DemoShop:
    """The demo shop, stored in one SQLite file.

    Each write stores its idempotency key in the same transaction, so it happens exactly once and
    `again` can be ignored.
    """

    def __init__(self, path: Path, integration_id: str) -> None:
        self._path = path
        self._integration_id = integration_id

    @classmethod
    def of(
        cls,
        integration: Integration,
        credentials: Mapping[str, str],  # noqa: ARG003 - the file needs none
        http: httpx.AsyncClient,  # noqa: ARG003 - nor a network
    ) -> Self:
        """Return the demo shop at the path in the integration's settings. The file must have been
        created by `open_demo_shop`."""
        return cls(Path(integration.settings["path"]), integration.id)

    async def find_order(self, number: str | None, email: str | None) -> Order | None:
        """Return the order with that number, or None. Without a number, return the customer's
        latest order."""
        if number is not None:
            wanted = number.strip().removeprefix("#")
            return await self._run(lambda shop: self._order(shop, "WHERE number = ?", wanted))
        key = customer_key(email)
        if key is None:
            return None
        latest = "WHERE email_key = ? ORDER BY placed_at DESC LIMIT 1"
        return await self._run(lambda shop: self._order(shop, latest, key))

    async def refund(self, order: Order, amount: Money, key: str, *, again: bool) -> str:  # noqa: ARG002
        """Refund `amount` once per idempotency key, and return the refund's id. Raises
        ActionRefused beyond the refundable amount."""

        def act(shop: sqlite3.Connection) -> str:
            if self._done(shop, order, key, ActionKind.REFUND, amount.minor):
                return _effect_id(key)
            now = self._now(shop, order)
            if (
                amount.currency != now.total.currency
                or not 0 < amount.minor <= now.refundable.minor
            ):
                raise ActionRefused("more than the order has left to refund")
            _move(shop, now, key, ActionKind.REFUND, amount.minor)
            return _effect_id(key)

        return await self._run(act)

    async def cancel(self, order: Order, key: str, *, again: bool) -> str:  # noqa: ARG002
        """Cancel the order once per idempotency key, refund the remaining amount, and return the
        cancellation's id. Raises ActionRefused unless it is open."""

        def act(shop: sqlite3.Connection) -> str:
            if self._done(shop, order, key, ActionKind.CANCEL_ORDER, None):
                return _effect_id(key)
            now = self._now(shop, order)
            if now.state is not OrderState.OPEN:
                raise ActionRefused("the order cannot be stopped any more")
            _move(shop, now, key, ActionKind.CANCEL_ORDER, now.refundable.minor)
            shop.execute(
                "UPDATE orders SET state = ? WHERE number = ?", (OrderState.CANCELLED, now.number)
            )
            return _effect_id(key)

        return await self._run(act)

    async def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` in one database transaction, in a thread, and return its result. Raises
        ActionUnreachable if the transaction was not committed, and ActionUnknown if the commit may
        have succeeded."""
        return await asyncio.to_thread(self._in_transaction, work)

    def _in_transaction(self, work: Callable[[sqlite3.Connection], T]) -> T:
        committing = False
        try:
            with _file(self._path, "rw") as connection:
                connection.execute("BEGIN IMMEDIATE")
                result = work(connection)
                committing = True
                connection.commit()
                return result
        except sqlite3.Error as error:
            if committing and error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise ActionUnknown("the demo shop's file, while it was written") from error
            raise ActionUnreachable("the demo shop's file") from error

    def _now(self, shop: sqlite3.Connection, order: Order) -> Order:
        found = self._order(shop, "WHERE number = ?", order.id)
        if found is None:
            raise ActionRefused("the shop has no such order")
        return found

    def _order(self, shop: sqlite3.Connection, where: str, value: str) -> Order | None:
        row = shop.execute(_SELECT + where, (value,)).fetchone()
        if row is None:
            return None
        number, email, state, minor, currency, placed_at, tracking_url, items, note, left = row
        return Order(
            integration_id=self._integration_id,
            provider=Provider.DEMO_SHOP,
            id=number,
            number=number,
            customer_email=email,
            state=OrderState(state),
            total=Money(minor=minor, currency=currency),
            refundable=Money(minor=left, currency=currency),
            placed_at=datetime.fromisoformat(placed_at),
            tracking_url=tracking_url,
            items=tuple(json.loads(items)),
            note=note,
        )

    def _done(
        self, shop: sqlite3.Connection, order: Order, key: str, kind: ActionKind, minor: int | None
    ) -> bool:
        """Return whether the idempotency key was already used for this write. Raises ActionUnknown
        if the key was used for a different write."""
        row = shop.execute(
            "SELECT number, kind, minor FROM movements WHERE key = ?", (key,)
        ).fetchone()
        if row is None:
            return False
        if row[:2] != (order.id, kind) or minor not in (None, row[2]):
            raise ActionUnknown("the key was used for something else")
        return True


def _move(shop: sqlite3.Connection, order: Order, key: str, kind: ActionKind, minor: int) -> None:
    shop.execute("INSERT INTO movements VALUES (?, ?, ?, ?)", (key, order.number, kind, minor))


def _effect_id(key: str) -> str:
    return f"demo-{key}"


@contextmanager
def _file(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    """Open a new connection to the shop's file and close it after the block. Each block has a
    separate connection because SQLite connections must not move between threads."""
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, timeout=_WAIT_S)
    try:
        with connection:
            yield connection
    finally:
        connection.close()

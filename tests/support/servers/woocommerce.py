"""WooCommerce's REST API on loopback: orders that can be searched for, refunded and cancelled.

The server has no idempotency keys, and counts the refunded money.
"""

import base64
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from domain.core.errors import InvalidInput
from domain.core.money import Money
from tests.support.servers.http_service import HttpService, Reply, Request, serving

KEY: Final = "ck_canary_7d1f"
SECRET: Final = "cs_canary_9a3e"

_ORDERS: Final = "/wp-json/wc/v3/orders"
_STATUSES: Final = frozenset(
    {"pending", "processing", "on-hold", "completed", "cancelled", "refunded", "failed"}
)


@dataclass
class WooOrder:
    """An order in WooCommerce. `minor` is the amount paid, in minor units."""

    id: int
    minor: int
    email: str
    number: str = ""
    currency: str = "EUR"
    status: str = "processing"
    is_paid: bool = True


@dataclass(frozen=True)
class WooRefund:
    """A refund. Unless it `moved`, the payment provider was not called and the refund was only
    recorded."""

    id: int
    order_id: int
    minor: int
    reason: str
    moved: bool
    restocked: bool


class WooCommerceServer(HttpService):
    def __init__(self, orders: list[WooOrder]) -> None:
        super().__init__()
        self.orders = orders
        self.refunds: list[WooRefund] = []
        self.hides_refunds = False

    def route(self, request: Request) -> Reply:
        expected = base64.b64encode(f"{KEY}:{SECRET}".encode()).decode()
        if request.authorization != f"Basic {expected}":
            return _error(401, "woocommerce_rest_cannot_view")
        if not request.path.startswith(_ORDERS):
            return _error(404, "rest_no_route")
        order_id, *below = request.path.removeprefix(_ORDERS).strip("/").split("/")
        if not order_id:
            return self._search(request.query)
        order = next((one for one in self.orders if str(one.id) == order_id), None)
        if order is None:
            return _error(404, "woocommerce_rest_shop_order_invalid_id")
        return self._of_order(order, request, below)

    def _of_order(self, order: WooOrder, request: Request, below: list[str]) -> Reply:
        match request.method, below:
            case "GET", []:
                return Reply(200, self._shown(order))
            case "PUT", []:
                return self._change(order, request.body)
            case "GET", ["refunds"]:
                found = [] if self.hides_refunds else self._of(order)
                return Reply(200, [_shown_refund(one, order) for one in found[::-1][:100]])
            case "POST", ["refunds"]:
                return self._refund(order, request.body)
        return _error(404, "rest_no_route")

    def forget_keys(self) -> None:
        """Do nothing, because the server has no idempotency keys."""

    def _search(self, query: Mapping[str, str]) -> Reply:
        if not 1 <= int(query.get("per_page", "10")) <= 100:
            return _error(400, "rest_invalid_param")
        if not all(part.isdigit() for part in query.get("include", "0").split(",")):
            return _error(400, "rest_invalid_param")
        found = self.orders[::-1]
        if "include" in query:
            found = [one for one in found if str(one.id) in query["include"].split(",")]
        if "search" in query:
            wanted = query["search"].lower()
            found = [one for one in found if wanted in f"{one.id} {one.number} {one.email}".lower()]
        return Reply(200, [self._shown(one) for one in found[: int(query.get("per_page", "10"))]])

    def _change(self, order: WooOrder, body: Mapping[str, object]) -> Reply:
        if body.get("status") not in _STATUSES:
            return _error(400, "rest_invalid_param")
        order.status = str(body["status"])
        return Reply(200, self._shown(order))

    def _refund(self, order: WooOrder, body: Mapping[str, object]) -> Reply:
        try:
            minor = Money.parse(str(body["amount"]), order.currency).minor
        except InvalidInput:
            return _error(400, "rest_invalid_param")
        if minor == 0:
            return _error(400, "woocommerce_rest_invalid_order_refund")
        if minor > self._left(order):
            # WooCommerce returns its own exception like this.
            return _error(500, "woocommerce_rest_cannot_create_order_refund")
        refund = WooRefund(
            len(self.refunds) + 9000,
            order.id,
            minor,
            str(body.get("reason", "")),
            moved=bool(body.get("api_refund", True)),
            restocked=bool(body.get("api_restock", True)),
        )
        self.refunds.append(refund)
        if self._left(order) == 0:
            order.status = "refunded"
        return Reply(201, _shown_refund(refund, order))

    def _of(self, order: WooOrder) -> list[WooRefund]:
        return [one for one in self.refunds if one.order_id == order.id]

    def _left(self, order: WooOrder) -> int:
        return order.minor - sum(one.minor for one in self._of(order))

    def _shown(self, order: WooOrder) -> dict[str, object]:
        return {
            "id": order.id,
            "number": order.number or str(order.id),
            "status": order.status,
            "currency": order.currency,
            "total": Money(minor=order.minor, currency=order.currency).decimal(),
            "date_created_gmt": "2026-03-01T10:00:00",
            "date_modified_gmt": "2026-03-01T10:00:00",
            "date_paid_gmt": "2026-03-01T10:00:05" if order.is_paid else None,
            "billing": {"email": order.email, "first_name": "Léa", "last_name": "M"},
            "customer_note": "",
            "line_items": [{"id": 1, "name": "Tea", "quantity": 2, "total": "49.90"}],
            "refunds": [
                {
                    "id": one.id,
                    "reason": one.reason,
                    "total": "-" + Money(minor=one.minor, currency=order.currency).decimal(),
                }
                for one in self._of(order)
            ],
        }


def _shown_refund(refund: WooRefund, order: WooOrder) -> dict[str, object]:
    amount = Money(minor=refund.minor, currency=order.currency).decimal()
    return {
        "id": refund.id,
        "amount": amount,
        "reason": refund.reason,
        "refunded_payment": refund.moved,
    }


def _error(status: int, code: str) -> Reply:
    return Reply(status, {"code": code, "message": code, "data": {"status": status}})


@contextmanager
def woocommerce_server(*orders: WooOrder) -> Iterator[WooCommerceServer]:
    with serving(WooCommerceServer(list(orders))) as server:
        yield server

"""PrestaShop's Webservice on loopback: orders, and the resources that they refer to."""

import base64
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from tests.support.servers.http_service import HttpService, Reply, Request, serving

KEY: Final = "CANARYKEY7D1F9A3E"

_FILTER: Final = re.compile(r"filter\[([a-z_]+)\]")


@dataclass
class PrestaShopOrder:
    """An order in PrestaShop. `state` is the number of a state in a default installation."""

    id: int
    reference: str
    email: str
    total: str = "49.900000"
    state: int = 2
    updated_at: str = "2026-03-01 10:00:00"


class PrestaShopServer(HttpService):
    """A PrestaShop server. `allowed` are the resources that the key may read."""

    def __init__(self, orders: list[PrestaShopOrder]) -> None:
        super().__init__()
        self.orders = orders
        self.allowed = {"orders", "customers", "currencies", "order_states"}

    def route(self, request: Request) -> Reply:
        expected = base64.b64encode(f"{KEY}:".encode()).decode()
        if request.authorization != f"Basic {expected}":
            return Reply(401, {"errors": [{"code": 17, "message": "Bad API key"}]})
        table = request.path.removeprefix("/api/")
        if request.method != "GET" or table not in self.allowed:
            return Reply(403, {"errors": [{"code": 26, "message": "Resource not allowed"}]})
        # Without it, the response would be XML.
        if request.query.get("output_format") != "JSON":
            return Reply(400, {"errors": [{"code": 1, "message": "XML is spoken here"}]})
        rows = self._rows(table)
        for name, wanted in request.query.items():
            if field := _FILTER.fullmatch(name):
                found = wanted.removeprefix(">").removeprefix("[").removesuffix("]")
                if wanted.startswith(">"):
                    rows = [row for row in rows if str(row[field[1]]) > found]
                else:
                    rows = [row for row in rows if str(row[field[1]]) in found.split("|")]
        if "date_upd" in request.query.get("sort", ""):
            rows.sort(key=lambda row: (str(row["date_upd"]), row["id"]))
        if limit := request.query.get("limit"):
            skip, most = map(int, limit.split(","))
            rows = rows[skip : skip + most]
        # An empty result is an empty list, not an object.
        return Reply(200, {table: rows} if rows else [])

    def _rows(self, table: str) -> list[dict[str, object]]:
        match table:
            case "orders":
                return [self._order(one) for one in self.orders]
            case "customers":
                emails = dict.fromkeys(one.email for one in self.orders)
                return [{"id": at, "email": one} for at, one in enumerate(emails, start=1)]
            case "currencies":
                return [{"id": 1, "iso_code": "EUR"}]
            case _:
                shipped = {4, 5}
                return [{"id": at, "shipped": str(int(at in shipped))} for at in range(1, 12)]

    def _order(self, order: PrestaShopOrder) -> dict[str, object]:
        emails = [*dict.fromkeys(one.email for one in self.orders)]
        return {
            "id": order.id,
            "reference": order.reference,
            "id_customer": str(emails.index(order.email) + 1),
            "id_currency": "1",
            "current_state": str(order.state),
            "total_paid": order.total,
            "date_add": "2026-03-01 10:00:00",
            "date_upd": order.updated_at,
            "associations": {"order_rows": [{"product_name": "Tea", "product_quantity": "2"}]},
        }


@contextmanager
def prestashop_server(*orders: PrestaShopOrder) -> Iterator[PrestaShopServer]:
    with serving(PrestaShopServer(list(orders))) as server:
        yield server

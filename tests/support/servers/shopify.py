"""Shopify's GraphQL Admin API on loopback: a shop whose orders can be refunded and cancelled.

It validates documents and variables against the published schema, requires and honors an
idempotency key for a refund, and counts the refunded money.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from graphql import (
    FieldNode,
    GraphQLError,
    GraphQLResolveInfo,
    OperationDefinitionNode,
    build_schema,
    get_directive_values,
    graphql_sync,
    parse,
)

from domain.core.money import Money
from tests.support.servers.http_service import HttpService, Reply, Request, serving
from tests.support.servers.shopify_order import ShopifyOrder
from tests.support.servers.shopify_schema import SCHEMA

TOKEN: Final = "shpat_canary_7f3a9c5e1b"
PATH: Final = "/admin/api/2026-07/graphql.json"

Info = GraphQLResolveInfo[Any]

_SCHEMA: Final = build_schema(SCHEMA)
_SINCE: Final = re.compile(r"updated_at:>='([^']+)'")
_TERM: Final = re.compile(r'(name|email|id):"?([^"\\]*)"?')


@dataclass(frozen=True)
class MovedMoney:
    """A refund. `note` contains the caller's key, if it was stored there."""

    id: str
    order_name: str
    minor: int
    note: str


class ShopifyServer(HttpService):
    """A Shopify server. Requests are distinguished by operation name:
    `fail_next(Fault.CUT, "Refund")`.

    - `refuse_next`: error codes that the next operations with that name return.
    - `polls`: how often a cancellation must be polled.
    - `page_size`: the maximum number of changes on a page.
    - `hides_refunds`: refund checks do not find recent refunds yet.
    """

    def __init__(self, orders: list[ShopifyOrder]) -> None:
        super().__init__()
        self.orders = orders
        self.refunds: list[MovedMoney] = []
        self.refuse_next: dict[str, str] = {}
        self.polls = 1
        self.page_size = 25
        self.hides_refunds = False
        self.cancelling_fails = False
        self._results: dict[str, tuple[str, dict[str, object]]] = {}
        self._jobs: dict[str, tuple[ShopifyOrder, int]] = {}

    def method(self, request: Request) -> str:
        definition = parse(str(request.body["query"])).definitions[0]
        assert isinstance(definition, OperationDefinitionNode)
        assert definition.name is not None
        return definition.name.value

    def route(self, request: Request) -> Reply:
        if request.headers.get("x-shopify-access-token") != TOKEN:
            return Reply(401, {"errors": "[API] Invalid API key or access token"})
        if request.path != PATH or request.method != "POST":
            return Reply(404, {"errors": "Not Found"})
        code = self.refuse_next.pop(self.method(request), None)
        if code is not None:
            return Reply(200, {"errors": [{"message": code, "extensions": {"code": code}}]})
        root = {
            "orders": self._orders,
            "order": lambda _, id: self._shown(self._by_id(id)),  # noqa: A006 - its name there
            "job": self._job,
            "refundCreate": self._refund,
            "orderCancel": self._cancel,
        }
        result = graphql_sync(
            _SCHEMA,
            request.body["query"],
            root_value=root,
            variable_values=request.body["variables"],
        )
        answer: dict[str, object] = {"data": result.data}
        if result.errors:
            answer["errors"] = [
                {"message": error.message, "extensions": {"code": "undefinedField"}}
                for error in result.errors
            ]
        return Reply(200, answer)

    def forget_keys(self) -> None:
        """Forget all idempotency keys, as after a day."""
        self._results.clear()

    def _by_id(self, wanted: str) -> ShopifyOrder | None:
        return next((order for order in self.orders if order.id == wanted), None)

    def _orders(
        self, _: Info, query: str, first: int, after: str | None = None, **__: object
    ) -> dict[str, object]:
        if since := _SINCE.fullmatch(query):
            return self._changed(datetime.fromisoformat(since[1]), first, int(after or 0))
        terms = [_TERM.fullmatch(part) for part in query.split(" OR ")]
        found = [
            order
            for order in self.orders
            for term in terms
            # As in Shopify, the search ignores # and case, and matches prefixes.
            if term is not None and _matches(order, term[1], term[2].casefold())
        ]
        unique = {order.id: order for order in found}
        newest = sorted(unique.values(), key=lambda order: order.created_at, reverse=True)
        return {"nodes": [self._shown(order) for order in newest[:first]]}

    def _changed(self, since: datetime, first: int, begin: int) -> dict[str, object]:
        """Return the changes, oldest first. A page's cursor is a position among all changes."""
        found = sorted(
            (one for one in self.orders if datetime.fromisoformat(one.changed_at) >= since),
            key=lambda one: one.changed_at,
        )
        end = begin + min(first, self.page_size)
        return {
            "nodes": [self._shown(order) for order in found[begin:end]],
            "pageInfo": {"hasNextPage": end < len(found), "endCursor": str(end)},
        }

    def _shown(self, order: ShopifyOrder | None) -> dict[str, object] | None:
        if order is None:
            return None
        left = 0 if order.cancelled_at else sum(payment.left for payment in order.payments)
        return {
            "id": order.id,
            "name": order.name,
            "email": order.email,
            "note": order.note,
            "legacyResourceId": order.shop_id or order.name.removeprefix("#"),
            "createdAt": order.created_at,
            "updatedAt": order.changed_at,
            "cancelledAt": order.cancelled_at,
            "displayFulfillmentStatus": order.fulfillment,
            "totalPriceSet": order.bag(sum(payment.minor for payment in order.payments)),
            "totalRefundedSet": order.bag(sum(payment.refunded for payment in order.payments)),
            "suggestedRefund": {
                "maximumRefundableSet": order.bag(left),
                "suggestedTransactions": [
                    {
                        "gateway": payment.gateway,
                        "parentTransaction": {"id": payment.id},
                        "maximumRefundableSet": order.bag(payment.left),
                    }
                    for payment in order.payments
                ],
            },
            "fulfillments": [
                {"status": "SUCCESS", "displayStatus": status, "trackingInfo": [{"url": url}]}
                for status, url in order.parcels
            ],
            "lineItems": {
                "nodes": [{"title": title, "quantity": count} for title, count in order.items]
            },
            "refunds": [
                {"id": moved.id, "note": moved.note}
                for moved in self.refunds
                if moved.order_name == order.name and not self.hides_refunds
            ],
        }

    def _refund(self, info: Info, input: dict[str, Any]) -> dict[str, object]:  # noqa: A002
        key = _idempotency_key(info)
        if key is None:
            raise GraphQLError("The @idempotent directive is required for this mutation")
        asked = json.dumps(input, sort_keys=True)
        if key in self._results:
            first, result = self._results[key]
            return result if first == asked else _user_error("The same key cannot be used")
        result = self._move(input)
        if not result["userErrors"]:
            self._results[key] = (asked, result)
        return result

    def _move(self, asked: Mapping[str, Any]) -> dict[str, object]:
        order = self._by_id(asked["orderId"])
        if order is None or asked["currency"] != order.paid_in:
            return _user_error("Order or currency is not valid")
        takes = []
        for part in asked["transactions"]:
            minor = Money.parse(str(part["amount"]), order.paid_in).minor
            payment = next((one for one in order.payments if one.id == part["parentId"]), None)
            if payment is None or not 0 < minor <= payment.left:
                return _user_error("Refund amount is greater than the amount available")
            takes.append((payment, minor))
        for payment, minor in takes:
            payment.refunded += minor
        total = sum(minor for _, minor in takes)
        return {"refund": self._moved(order, total, asked["note"]), "userErrors": []}

    def _moved(self, order: ShopifyOrder, minor: int, note: str) -> dict[str, str]:
        moved = MovedMoney(f"gid://shopify/Refund/{len(self.refunds) + 1}", order.name, minor, note)
        self.refunds.append(moved)
        return {"id": moved.id, "note": note}

    def _cancel(
        self,
        _: Info,
        orderId: str,  # noqa: N803 - the names there
        staffNote: str,  # noqa: N803
        **__: object,
    ) -> dict[str, object]:
        order = self._by_id(orderId)
        if order is None or order.cancelled_at or order.fulfillment == "FULFILLED":
            error = {"message": "Cannot be cancelled", "code": "INVALID", "field": ["orderId"]}
            return {"job": None, "orderCancelUserErrors": [error]}
        job = f"gid://shopify/Job/{len(self._jobs) + 1}"
        self._jobs[job] = (order, self.polls)
        self._advance(job, staffNote)
        return {"job": {"id": job, "done": False}, "orderCancelUserErrors": []}

    def _job(self, _: Info, id: str) -> dict[str, object]:  # noqa: A002
        self._advance(id, "")
        return {"id": id, "done": self._jobs[id][1] < 0}

    def _advance(self, job: str, note: str) -> None:
        """Advance the job by one step. The last step cancels the order."""
        order, polls = self._jobs[job]
        self._jobs[job] = (order, polls - 1)
        if polls == 0 and not self.cancelling_fails:
            self._moved(order, sum(payment.left for payment in order.payments), note)
            for payment in order.payments:
                payment.refunded = payment.minor
            order.cancelled_at = "2026-03-02T10:00:00Z"


def _idempotency_key(info: Info) -> str | None:
    node: FieldNode = info.field_nodes[0]
    directive = _SCHEMA.get_directive("idempotent")
    assert directive is not None
    values = get_directive_values(directive, node, info.variable_values)
    return None if values is None else str(values["key"])


def _user_error(message: str) -> dict[str, object]:
    return {"refund": None, "userErrors": [{"field": None, "message": message}]}


@contextmanager
def shopify_server(*orders: ShopifyOrder) -> Iterator[ShopifyServer]:
    with serving(ShopifyServer(list(orders))) as server:
        yield server


def _matches(order: ShopifyOrder, field_name: str, wanted: str) -> bool:
    if field_name == "name":
        return order.name.casefold().lstrip("#").startswith(wanted.lstrip("#"))
    if field_name == "id":
        return order.id.endswith(f"/{wanted}")
    return (order.email or "").casefold() == wanted

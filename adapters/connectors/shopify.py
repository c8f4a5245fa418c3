"""Shopify's GraphQL Admin API: the orders, refunds and cancellations in one shop."""

import asyncio
import re
from collections.abc import Mapping
from typing import Final, Self

import httpx

from adapters.connectors.http import ConnectorCall, verifying
from adapters.connectors.shopify_documents import (
    CANCEL,
    CANCELLED,
    CANCELLING,
    FIND,
    REFUND,
    REFUNDABLE,
)
from adapters.connectors.shopify_shapes import (
    Cancel,
    Cancelled,
    Data,
    FoundOrders,
    Refundable,
    RefundableOrder,
    Refunded,
    RefundInput,
    ShopifyAnswer,
    TransactionInput,
)
from domain.core.errors import DomainError
from domain.core.money import Money
from domain.integrations.errors import (
    ActionForbidden,
    ActionRefused,
    ActionUnknown,
    ActionUnreachable,
)
from domain.integrations.integration import Integration
from domain.integrations.order import Order

_VERSION: Final = "2026-07"
# Only text in the format of an order name or id is searched for. The check prevents query
# injection.
_SHOP_ID: Final = re.compile("[1-9][0-9]{9,19}", re.ASCII)
_ORDER_ID: Final = "gid://shopify/Order/"
_NUMBER: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,49}", re.ASCII)
_POLL_S: Final = 0.25
_INTERNAL: Final = frozenset({"INTERNAL_SERVER_ERROR", "INTERNAL_ERROR", "TIMEOUT", None})


class Shopify:
    """A Shopify shop. Amounts are in the shop's own currency, not in the customer's currency."""

    def __init__(
        self, http: httpx.AsyncClient, base_url: str, access_token: str, integration_id: str
    ) -> None:
        self._http = http
        self._url = f"{base_url}/admin/api/{_VERSION}/graphql.json"
        self._access_token = access_token
        self._integration_id = integration_id

    @classmethod
    def of(
        cls, integration: Integration, credentials: Mapping[str, str], http: httpx.AsyncClient
    ) -> Self:
        """Return the connector for an integration. The `access_token` needs the read_orders and
        write_orders scopes and, for orders older than 60 days, read_all_orders."""
        base_url = integration.base_url(f"https://{integration.settings['shop']}")
        return cls(http, base_url, credentials["access_token"], integration.id)

    async def find_order(self, number: str | None, email: str | None) -> Order | None:
        """Return the order with that number or id, or None. Without either, return the customer's
        latest order."""
        if number is not None:
            return await self._find_by_number(number.strip().removeprefix("#"))
        if email is not None:
            return await self._find_by_email(email)
        return None

    async def ask(self, query: str, variables: Mapping[str, str | None], shape: type[Data]) -> Data:
        """Run a read-only GraphQL query and return its data. Raises ActionRefused,
        ActionUnreachable."""
        return await self._read(ConnectorCall(self._http), query, variables, shape)

    async def refund(self, order: Order, amount: Money, key: str, *, again: bool) -> str:
        """Refund `amount` to the order's payments, and return the refund's id.

        Shopify deduplicates by `key` for a day. Later, a refund with `key` in its note shows that
        it was made.
        """
        exchange = ConnectorCall(self._http)
        if again:
            with verifying():
                found = await self._refundable(exchange, order)
            for refund in found.refunds:
                if key in (refund.note or ""):
                    return refund.id
        else:
            found = await self._refundable(exchange, order)
        variables = {"input": _refund_input(order, found, amount, key).model_dump(), "key": key}
        request = self._request(REFUND, variables)
        answer = await exchange.effect(request, ShopifyAnswer[Refunded])
        result = _data(answer, ActionUnknown).result
        if result.errors:
            # Shopify's refund errors have no codes. On a retry, the error may refer to the first
            # attempt, so the outcome is unknown.
            raise ActionUnknown("repeated in vain") if again else ActionRefused("the shop said no")
        if result.refund is None:
            raise ActionUnknown("no refund, and no reason")
        return result.refund.id

    async def cancel(self, order: Order, key: str, *, again: bool) -> str:
        """Cancel the order, restock its goods and refund the full amount. Return the job's id, or
        the order's id if it was cancelled before.

        Waits for Shopify's job. Raises ActionUnknown if it does not end in time.
        """
        exchange = ConnectorCall(self._http)
        if again:
            with verifying():
                cancelled = await self._is_cancelled(exchange, order)
            if cancelled:
                return order.id
        request = self._request(CANCEL, {"id": order.id, "note": key})
        answer = await exchange.effect(request, ShopifyAnswer[Cancel])
        result = _data(answer, ActionUnknown).result
        codes = {error.code for error in result.errors}
        if codes:
            # A retry may be rejected because the first attempt is still running.
            unclear = again or not codes.isdisjoint(_INTERNAL)
            raise ActionUnknown("cancelling") if unclear else ActionRefused("the shop said no")
        if result.job is None:
            raise ActionUnknown("no job, and no reason")
        await self._wait(exchange, order, result.job.id)
        return result.job.id

    async def _wait(self, exchange: ConnectorCall, order: Order, job: str) -> None:
        ids = {"id": order.id, "job": job}
        while True:
            with verifying():
                seen = await self._read(exchange, CANCELLING, ids, Cancelled)
                if seen.order is not None and seen.order.at is not None:
                    return
                if seen.job is None or seen.job.done:
                    # The job may have ended between reading the order and reading the job.
                    if await self._is_cancelled(exchange, order):
                        return
                    raise ActionUnknown("the job ended and the order is not cancelled")
            if exchange.seconds_left < _POLL_S:
                raise ActionUnknown("the job did not end in time")
            await asyncio.sleep(_POLL_S)

    async def _is_cancelled(self, exchange: ConnectorCall, order: Order) -> bool:
        seen = await self._read(exchange, CANCELLED, {"id": order.id}, Cancelled)
        return seen.order is not None and seen.order.at is not None

    async def _find_by_number(self, number: str) -> Order | None:
        if not _NUMBER.fullmatch(number):
            return None
        # Most shops prefix an order's name with #. The results are filtered below because the
        # search also returns orders with other names.
        query = f'name:"#{number}" OR name:"{number}"'
        # The `order_id` in the shop's webhooks is longer than any order number.
        shop_id = f"{_ORDER_ID}{number}" if _SHOP_ID.fullmatch(number) else ""
        found = await self._find(f"{query} OR id:{number}" if shop_id else query)
        called_so = (one for one in found if one.number.casefold() == number.casefold())
        return next(called_so, None) or next((one for one in found if one.id == shop_id), None)

    async def _find_by_email(self, email: str) -> Order | None:
        if any(not sign.isprintable() or sign in '"\\' for sign in email):
            return None
        found = await self._find(f'email:"{email}"')
        return next((one for one in found if one.belongs_to(email)), None)

    async def _find(self, query: str) -> tuple[Order, ...]:
        found = await self._read(ConnectorCall(self._http), FIND, {"query": query}, FoundOrders)
        return tuple(order.order(self._integration_id) for order in found.orders.nodes)

    async def _refundable(self, exchange: ConnectorCall, order: Order) -> RefundableOrder:
        found = await self._read(exchange, REFUNDABLE, {"id": order.id}, Refundable)
        if found.order is None:
            raise ActionRefused("the shop has no such order")
        return found.order

    async def _read(
        self,
        exchange: ConnectorCall,
        query: str,
        variables: Mapping[str, str | None],
        shape: type[Data],
    ) -> Data:
        answer = await exchange.read(self._request(query, variables), ShopifyAnswer[shape])  # type: ignore[valid-type]
        return _data(answer, ActionUnreachable)

    def _request(self, query: str, variables: Mapping[str, object]) -> httpx.Request:
        return self._http.build_request(
            "POST",
            self._url,
            headers={"x-shopify-access-token": self._access_token},
            json={"query": query, "variables": variables},
        )


def _data(answer: ShopifyAnswer[Data], unclear: type[DomainError]) -> Data:
    """Return the response's data, or raise the error that corresponds to its error codes."""
    if answer.data is not None and not answer.errors:
        return answer.data
    # If a write's response contains both data and errors, part of the mutation may have been
    # executed, so its outcome is unknown.
    if answer.data is None or unclear is ActionUnreachable:
        if "THROTTLED" in answer.codes:
            raise ActionUnreachable("throttled")
        if "ACCESS_DENIED" in answer.codes:
            raise ActionForbidden("a scope is missing")
        if answer.errors and _INTERNAL.isdisjoint(answer.codes):
            raise ActionRefused("the shop does not understand")
    raise unclear("an answer with errors, or without data")


def _refund_input(order: Order, found: RefundableOrder, amount: Money, key: str) -> RefundInput:
    """Return the input for a refund from the order's payments in sequence, deterministic for an
    order state. Raises ActionRefused beyond the refundable amount."""
    suggested = found.suggested
    if suggested is None or amount.currency != suggested.most.shop.currency:
        raise ActionRefused("nothing to refund in this currency")
    most = suggested.most
    if not 0 < amount.minor <= most.shop.minor:
        raise ActionRefused("more than the order has left to refund")
    # Shopify refunds in the customer's currency. Rounding down ensures that the amount never
    # exceeds the maximum.
    left = amount.minor * most.paid.minor // most.shop.minor
    parts = []
    for payment in suggested.transactions:
        if payment.parent is None or payment.most is None or left == 0:
            continue
        part = Money(minor=min(left, payment.most.paid.minor), currency=most.paid.currency)
        left -= part.minor
        if part.minor:
            parts.append(
                TransactionInput(
                    orderId=order.id,
                    parentId=payment.parent.id,
                    gateway=payment.gateway or "",
                    amount=part.decimal(),
                )
            )
    if left or not parts:
        raise ActionRefused("the order's payments do not take it back")
    return RefundInput(
        orderId=order.id,
        currency=most.paid.currency,
        note=f"Refunded by the support agent, {key}",
        transactions=tuple(parts),
    )

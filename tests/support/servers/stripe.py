"""Stripe's API on loopback: payments that can be searched for and refunded.

It stores idempotency keys as Stripe does, with their parameters and results, and counts the
refunded money.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from tests.support.servers.http_service import HttpService, Reply, Request, serving

ACCOUNT: Final = "acct_1Hq8ZtWmXcanary"
API_KEY: Final = "rk_test_canary_51Hq8ZtWmX"

_TERM: Final = re.compile(r"metadata\['([a-z_]+)'\]:'([^']*)'")


@dataclass
class StripePayment:
    """A PaymentIntent and its charge. `amount`: in Stripe's units of the currency."""

    id: str
    amount: int
    currency: str = "eur"
    status: str = "succeeded"
    email: str | None = None
    receipt_email: str | None = None
    created: int = 1_772_000_000
    metadata: dict[str, str] = field(default_factory=dict)
    description: str | None = None
    disputed: bool = False
    refunded: int = 0

    def shown(self, *, expanded: bool) -> dict[str, object]:
        charge: object = f"ch_{self.id}"
        if self.status != "succeeded":
            charge = None
        elif expanded:
            charge = {
                "id": f"ch_{self.id}",
                "amount_captured": self.amount,
                "amount_refunded": self.refunded,
                "disputed": self.disputed,
                "billing_details": {"email": self.email},
            }
        return {
            "id": self.id,
            "object": "payment_intent",
            "amount": self.amount,
            "currency": self.currency,
            "status": self.status,
            "created": self.created,
            "description": self.description,
            "receipt_email": self.receipt_email,
            "metadata": self.metadata,
            "latest_charge": charge,
        }


@dataclass(frozen=True)
class StripeRefund:
    """A refund. With the status `failed`, the refund moved no money."""

    id: str
    payment_id: str
    amount: int
    status: str
    metadata: Mapping[str, str]

    def shown(self) -> dict[str, object]:
        return {
            "id": self.id,
            "object": "refund",
            "payment_intent": self.payment_id,
            "amount": self.amount,
            "status": self.status,
            "metadata": dict(self.metadata),
        }


class StripeServer(HttpService):
    """A Stripe server.

    - `account`: the account of the API key.
    - `next_status`: the status of the next refund.
    - `breaks_next`: the next refund fails within Stripe, which stores the result.
    - `busy`: the keys with a first request in progress.
    - `hides_refunds`: refund checks do not find recent refunds yet.
    """

    def __init__(self, orders: list[StripePayment]) -> None:
        super().__init__()
        self.orders = orders
        self.account = ACCOUNT
        self.refunds: list[StripeRefund] = []
        self.next_status = "succeeded"
        self.breaks_next = False
        self.hides_refunds = False
        self.busy: set[str] = set()
        self._results: dict[str, tuple[dict[str, str], Reply]] = {}

    def route(self, request: Request) -> Reply:
        if request.authorization != f"Bearer {API_KEY}":
            return _error(401, "invalid_request_error", "Invalid API Key provided")
        match request.method, request.path:
            case "GET", "/v1/payment_intents/search":
                return self._search(request.query)
            case "GET", "/v1/account":
                return Reply(200, {"id": self.account, "object": "account"})
            case "GET", "/v1/refunds":
                return self._list(request.query)
            case "POST", "/v1/refunds":
                return self._once(request)
        return _error(404, "invalid_request_error", "Unrecognized request URL")

    def forget_keys(self) -> None:
        """Forget all idempotency keys, as after a day."""
        self._results.clear()

    def _search(self, query: Mapping[str, str]) -> Reply:
        terms = [_TERM.fullmatch(part) for part in query["query"].split(" OR ")]
        if None in terms:
            return _error(400, "invalid_request_error", "We were unable to parse your query")
        found = [
            payment.shown(expanded=query.get("expand[]") == "data.latest_charge")
            for payment in self.orders
            if any(term and payment.metadata.get(term[1]) == term[2] for term in terms)
        ]
        return Reply(200, {"object": "search_result", "data": found, "has_more": False})

    def _list(self, query: Mapping[str, str]) -> Reply:
        refunds = () if self.hides_refunds else self.refunds
        found = [one for one in refunds if one.payment_id == query["payment_intent"]]
        limit = int(query.get("limit", 10))
        shown = [one.shown() for one in reversed(found)]
        return Reply(200, {"data": shown[:limit], "has_more": len(shown) > limit})

    def _once(self, request: Request) -> Reply:
        """Return the refund, or the result of the key's first use."""
        asked = {name: str(value) for name, value in request.body.items()}
        key = request.headers.get("idempotency-key")
        if key is None:
            return self._refund(asked)
        if key in self.busy:
            return _error(409, "invalid_request_error", "Busy", code="idempotency_key_in_use")
        if key in self._results:
            first, reply = self._results[key]
            return reply if first == asked else _error(400, "idempotency_error", "Same parameters")
        reply = self._refund(asked)
        self._results[key] = (asked, reply)
        return reply

    def _refund(self, asked: Mapping[str, str]) -> Reply:
        if self.breaks_next:
            self.breaks_next = False
            return _error(500, "api_error", "Something went wrong on our end")
        payment = next((one for one in self.orders if one.id == asked["payment_intent"]), None)
        amount = int(asked["amount"])
        if payment is None:
            return _error(404, "invalid_request_error", "No such payment_intent")
        if amount > payment.amount - payment.refunded:
            return _error(400, "invalid_request_error", "Refund amount is greater than unrefunded")
        metadata = {
            name.removeprefix("metadata[").removesuffix("]"): value
            for name, value in asked.items()
            if name.startswith("metadata[")
        }
        refund = StripeRefund(
            f"re_{len(self.refunds) + 1}", payment.id, amount, self.next_status, metadata
        )
        self.refunds.append(refund)
        if refund.status != "failed":
            payment.refunded += amount
        return Reply(200, refund.shown())


def _error(status: int, kind: str, message: str, code: str | None = None) -> Reply:
    return Reply(status, {"error": {"type": kind, "code": code, "message": message}})


@contextmanager
def stripe_server(*orders: StripePayment) -> Iterator[StripeServer]:
    with serving(StripeServer(list(orders))) as server:
        yield server

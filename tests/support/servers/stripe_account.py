"""The service's own Stripe account on loopback: Checkout pages, subscriptions, signed events.

The server rejects what Stripe rejects, and stores idempotency keys with their parameters. Tests can
pay on its pages. Events have the format of the requested API version.
"""

import hmac
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from typing import Any, Final

from tests.support.servers.http_service import HttpService, Reply, Request, serving

SECRET_KEY: Final = "sk_test_canary_9XwT4hVbQz"
WEBHOOK_SECRET: Final = "whsec_canary_Lk3PpA7uRm"

_MINUTE: Final = 60
_DAY: Final = 86_400
_numbers = count(1)

Event = dict[str, Any]


@dataclass
class Session:
    """One Checkout page. `form` is the request that created it."""

    id: str
    form: Mapping[str, str]
    status: str = "open"
    subscription: str | None = None

    @property
    def metadata(self) -> dict[str, str]:
        return _under("metadata", self.form)

    @property
    def amount(self) -> int:
        """Return the amount due now, without amounts after a trial."""
        trial = "subscription_data[trial_end]" in self.form
        prices = [f"line_items[{n}][price_data]" for n in (0, 1)]
        return sum(
            int(self.form[f"{price}[unit_amount]"])
            for price in prices
            if f"{price}[unit_amount]" in self.form
            and not (trial and f"{price}[recurring][interval]" in self.form)
        )


@dataclass
class Subscription:
    id: str
    metadata: dict[str, str]
    unit_amount: int
    currency: str
    status: str = "trialing"
    cancel_at_period_end: bool = False

    def shown(self) -> dict[str, object]:
        price = {"id": "price_1", "product": "prod_1", "unit_amount": self.unit_amount}
        return {
            "id": self.id,
            "object": "subscription",
            "status": self.status,
            "cancel_at_period_end": self.cancel_at_period_end,
            "metadata": self.metadata,
            "items": {"object": "list", "data": [{"id": f"si_{self.id}", "price": price}]},
        }


class StripeAccount(HttpService):
    """The service's Stripe account. `now`: its clock, in Unix seconds."""

    def __init__(self) -> None:
        super().__init__()
        self.now: Callable[[], float] = time.time
        self.sessions: dict[str, Session] = {}
        self.subscriptions: dict[str, Subscription] = {}
        self._results: dict[str, tuple[Mapping[str, str], Reply]] = {}

    @contextmanager
    def at(self, now: float) -> Iterator[None]:
        """Set another time during the block."""
        self.now = lambda: now
        try:
            yield
        finally:
            self.now = time.time

    def route(self, request: Request) -> Reply:
        if request.authorization != f"Bearer {SECRET_KEY}":
            return _error(401, "invalid_request_error", "Invalid API Key provided")
        match request.method, request.path.split("/")[2:]:
            case "POST", ["checkout", "sessions"]:
                return self._once(request)
            case "GET", ["subscriptions", name] if name in self.subscriptions:
                return Reply(200, self.subscriptions[name].shown())
            case "POST", ["subscriptions", name] if self._lives(name):
                return self._change(self.subscriptions[name], request.body)
            case "DELETE", ["subscriptions", name] if self._lives(name):
                self.subscriptions[name].status = "canceled"
                return Reply(200, self.subscriptions[name].shown())
        return _error(404, "invalid_request_error", "No such object")

    def pay(self, checkout_id: str) -> Session:
        """Pay on a checkout page as a user."""
        session = self.session_of(checkout_id)
        session.status = "complete"
        if session.form["mode"] == "subscription":
            price = "line_items[0][price_data]"
            made = Subscription(
                f"sub_{next(_numbers)}",
                _under("subscription_data[metadata]", session.form),
                int(session.form[f"{price}[unit_amount]"]),
                session.form[f"{price}[currency]"],
            )
            self.subscriptions[made.id] = made
            session.subscription = made.id
        return session

    def session_of(self, checkout_id: str) -> Session:
        (found,) = (
            one for one in self.sessions.values() if one.metadata["checkout_id"] == checkout_id
        )
        return found

    def subscription_of(self, checkout_id: str) -> Subscription:
        name = self.session_of(checkout_id).subscription
        assert name is not None
        return self.subscriptions[name]

    def _lives(self, name: str) -> bool:
        return name in self.subscriptions and self.subscriptions[name].status != "canceled"

    def _once(self, request: Request) -> Reply:
        form = {name: str(value) for name, value in request.body.items()}
        key = request.headers.get("idempotency-key", "")
        if key in self._results:
            first, reply = self._results[key]
            return reply if first == form else _error(400, "idempotency_error", "Same parameters")
        reply = self._page(form)
        self._results[key] = (form, reply)
        return reply

    def _page(self, form: Mapping[str, str]) -> Reply:
        if not 30 * _MINUTE <= int(form["expires_at"]) - self.now() <= _DAY:
            return _error(400, "invalid_request_error", "expires_at: 30 minutes to 24 hours")
        trial_end = form.get("subscription_data[trial_end]")
        if trial_end is not None and int(trial_end) - self.now() < 2 * _DAY:
            return _error(400, "invalid_request_error", "trial_end: at least 48 hours")
        session = Session(f"cs_test_{next(_numbers)}", form)
        if session.amount < 50:
            return _error(400, "invalid_request_error", "amount too small")
        self.sessions[session.id] = session
        return Reply(200, {"id": session.id, "url": f"https://checkout.example/c/{session.id}"})

    def _change(self, subscription: Subscription, body: Mapping[str, Any]) -> Reply:
        if (ends := body.get("cancel_at_period_end")) is not None:
            subscription.cancel_at_period_end = ends == "true"
        if (item := body.get("items[0][id]")) is not None:
            if item != f"si_{subscription.id}":
                return _error(400, "invalid_request_error", "No such item")
            subscription.unit_amount = int(body["items[0][price_data][unit_amount]"])
        return Reply(200, subscription.shown())


def session_event(session: Session, what: str = "completed", **changed: object) -> Event:
    """Return the session's event. `changed`: fields that differ from what was paid."""
    form = session.form
    thing = {
        "id": session.id,
        "object": "checkout.session",
        "mode": form["mode"],
        "payment_status": "paid",
        "amount_total": session.amount,
        "currency": form["line_items[0][price_data][currency]"],
        "client_reference_id": form["client_reference_id"],
        "customer": form.get("customer", f"cus_{session.id}"),
        "subscription": session.subscription,
        "metadata": session.metadata,
        **changed,
    }
    return an_event(f"checkout.session.{what}", thing)


def renewal_event(subscription: Subscription, **changed: object) -> Event:
    thing = {
        "id": f"in_{next(_numbers)}",
        "object": "invoice",
        "billing_reason": "subscription_cycle",
        "subscription": subscription.id,
        "subscription_details": {"metadata": subscription.metadata},
        "metadata": {},
        "amount_paid": subscription.unit_amount,
        "currency": subscription.currency,
        **changed,
    }
    return an_event("invoice.paid", thing)


def ended_event(subscription: Subscription) -> Event:
    return an_event("customer.subscription.deleted", subscription.shown())


def an_event(kind: str, thing: Mapping[str, object]) -> Event:
    return {
        "id": f"evt_{next(_numbers)}{time.time_ns()}",
        "object": "event",
        "api_version": "2024-06-20",
        "created": int(time.time()),
        "type": kind,
        "livemode": False,
        "data": {"object": dict(thing)},
    }


def signed(
    event: Event, *, at: float | None = None, secret: str = WEBHOOK_SECRET
) -> dict[str, Any]:
    """Return a signed Stripe request: `content` and `headers`."""
    body = json.dumps(event, indent=2).encode()
    moment = int(time.time() if at is None else at)
    return {
        "content": body,
        "headers": {
            "content-type": "application/json; charset=utf-8",
            "stripe-signature": f"t={moment},v1={signature(body, moment, secret)},v0=00",
        },
    }


def signature(body: bytes, at: int, secret: str = WEBHOOK_SECRET) -> str:
    return hmac.new(secret.encode(), f"{at}.".encode() + body, sha256).hexdigest()


def _under(name: str, form: Mapping[str, str]) -> dict[str, str]:
    begin = f"{name}["
    return {
        key.removeprefix(begin).removesuffix("]"): value
        for key, value in form.items()
        if key.startswith(begin)
    }


def _error(status: int, kind: str, message: str) -> Reply:
    return Reply(status, {"error": {"type": kind, "message": message}})


@contextmanager
def stripe_account() -> Iterator[StripeAccount]:
    with serving(StripeAccount()) as server:
        yield server

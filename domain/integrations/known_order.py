"""The known order: all facts about one order from webhooks and polls, merged.

Each value is stored with the version of its fact. Facts may therefore arrive late, repeatedly and
in any order.
"""

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Final, Self

from pydantic import BaseModel, ConfigDict, JsonValue

from domain.core.money import Money
from domain.integrations.order import Order, OrderState
from domain.integrations.order_fact import OrderFact
from domain.integrations.providers import Provider

# Fields of a fact that do not describe the order, or that have a separate merge rule.
_APART: Final = {"order_id", "version", "refunded", "is_deleted"}


class ReportedValue(BaseModel):
    """The reported value of a field. `at` is the version of the fact that contained the value."""

    model_config = ConfigDict(frozen=True)

    at: datetime
    value: JsonValue

    @property
    def rank(self) -> tuple[datetime, str]:
        """The sort key of the value. The highest takes precedence. Equal versions are ordered by
        JSON, to be deterministic."""
        return self.at, json.dumps(self.value, sort_keys=True)


class ReportedRefund(BaseModel):
    """The total amount refunded for an order, as reported in the fact with version `at`."""

    model_config = ConfigDict(frozen=True)

    at: datetime
    sum: Money


class KnownOrder(BaseModel):
    """An order merged from facts. `told` maps an `OrderFact` field to its reported values.
    `refunds` are the totals that no later and larger total replaced. Facts no newer than
    `deleted_at` are dropped."""

    model_config = ConfigDict(frozen=True)

    version: datetime
    told: dict[str, ReportedValue] = {}
    refunds: tuple[ReportedRefund, ...] = ()
    deleted_at: datetime | None = None

    @classmethod
    def of(cls, fact: OrderFact) -> Self:
        """Return the known order that results from a single fact."""
        if fact.is_deleted:
            return cls(version=fact.version, deleted_at=fact.version)
        values = fact.model_dump(mode="json", exclude=_APART, exclude_none=True)
        refunds = (ReportedRefund(at=fact.version, sum=fact.refunded),) if fact.refunded else ()
        return cls(
            version=fact.version,
            told={name: ReportedValue(at=fact.version, value=it) for name, it in values.items()},
            refunds=refunds,
        )

    def merged(self, other: "KnownOrder") -> "KnownOrder":
        """Return a known order with the facts from both. The operation is associative, commutative
        and idempotent."""
        deletions = [it for it in (self.deleted_at, other.deleted_at) if it is not None]
        deleted_at = max(deletions, default=None)
        told: dict[str, ReportedValue] = {}
        for name, value in (*self.told.items(), *other.told.items()):
            if _is_after(value.at, deleted_at):
                told[name] = max(told.get(name, value), value, key=lambda it: it.rank)
        refunds = (it for it in (*self.refunds, *other.refunds) if _is_after(it.at, deleted_at))
        return KnownOrder(
            version=max(self.version, other.version),
            told=dict(sorted(told.items())),
            refunds=_uncovered(refunds),
            deleted_at=deleted_at,
        )

    @property
    def refunded(self) -> Money | None:
        """The total refunded, or None if no refund was reported. It never decreases. Only refunds
        in the currency of the latest report count."""
        if not self.refunds:
            return None
        last = max(self.refunds, key=lambda it: (it.at, it.sum.currency)).sum.currency
        sums = (it.sum for it in self.refunds if it.sum.currency == last)
        return max(sums, key=lambda it: it.minor)

    def fact(self, order_id: str) -> OrderFact:
        """Return all known fields of the order as a single fact."""
        return OrderFact.model_validate(
            {
                "order_id": order_id,
                "version": self.version,
                "refunded": self.refunded,
                "is_deleted": self.deleted_at is not None and not (self.told or self.refunds),
                **{name: it.value for name, it in self.told.items()},
            }
        )


def order_of(fact: OrderFact, integration_id: str, provider: Provider) -> Order | None:
    """Return the order for use in answers, or None if it is deleted or lacks a total or date.

    Its refundable amount is 0 because the shop was not queried.
    """
    if fact.is_deleted or fact.total is None or fact.placed_at is None:
        return None
    return Order(
        integration_id=integration_id,
        provider=provider,
        id=fact.order_id,
        number=fact.number or fact.order_id,
        customer_email=fact.customer_email,
        state=fact.state or OrderState.UNKNOWN,
        total=fact.total,
        refundable=Money(minor=0, currency=fact.total.currency),
        refunded=fact.refunded,
        placed_at=fact.placed_at,
        tracking_url=fact.tracking_url,
        items=fact.items or (),
        is_disputed=bool(fact.is_disputed),
        is_payment_failed=bool(fact.is_payment_failed),
        told_at=fact.version,
    )


def with_facts(order: Order, facts: Iterable[OrderFact]) -> Order:
    """Return an order read from its shop, supplemented with the disputes and failed payments in the
    facts.

    The facts may come from a payment provider.
    """
    known = tuple(facts)
    return order.model_copy(
        update={
            "is_disputed": order.is_disputed or any(it.is_disputed for it in known),
            "is_payment_failed": order.is_payment_failed
            or any(it.is_payment_failed for it in known),
        }
    )


def number_key(number: str | None) -> str | None:
    """Return an order number in the form used for searching: without "#" and in lower case. Return
    None if the number is empty."""
    return (number or "").strip().removeprefix("#").strip().casefold() or None


def _is_after(at: datetime, deleted_at: datetime | None) -> bool:
    return deleted_at is None or at > deleted_at


def _uncovered(refunds: Iterable[ReportedRefund]) -> tuple[ReportedRefund, ...]:
    """Return the refund totals that no other total replaces. A total replaces another total in the
    same currency if it is not earlier and not smaller."""
    latest_first = sorted(refunds, key=lambda it: (it.sum.currency, it.at, it.sum.minor))[::-1]
    kept: list[ReportedRefund] = []
    for one in latest_first:
        before = kept[-1].sum if kept else None
        if before and before.currency == one.sum.currency and before.minor >= one.sum.minor:
            continue
        kept.append(one)
    return tuple(kept)

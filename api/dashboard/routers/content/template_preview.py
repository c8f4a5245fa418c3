"""A preview of a template, filled in with a sample order."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final

from domain.agent.brain import Language
from domain.agent.frame import AnswerFrame
from domain.agent.order_facts import order_values
from domain.agent.plan import PLACEHOLDERS
from domain.agent.template import KNOWN_NAMES, fill, names, unreadable, unreadable_line
from domain.core.money import Money
from domain.integrations.order import Order, OrderState
from domain.integrations.providers import Provider

_SAMPLE: Final = Order(
    integration_id="",
    provider=min(Provider),
    id="1044",
    number="1044",
    customer_email="anne.martin@example.com",
    state=OrderState.SHIPPED,
    total=Money(minor=12_900, currency="EUR"),
    refundable=Money(minor=12_900, currency="EUR"),
    placed_at=datetime(2026, 11, 20, 9, tzinfo=UTC),
    tracking_url="https://example.com/1044",
    items=("1 × lampe Aube",),
)
_CUSTOMER: Final = {
    "customer_name": "Anne Martin",
    "customer_email": "anne.martin@example.com",
    "subject": "#1044",
    "cancelled_order": "1044",
    "refund_amount": "129.00 EUR",
}


@dataclass(frozen=True, slots=True)
class TemplatePreview:
    """A template filled in with a sample order. `needs` are fields that only an event provides, in
    square brackets in `text`. `promises` commit the merchant to an action. `unreadable` is the
    invalid placeholder, in `line`."""

    text: str
    needs: tuple[str, ...]
    promises: tuple[str, ...]
    unreadable: str | None
    line: int | None


def preview_of(
    body: str,
    language: Language,
    *,
    brand_name: str,
    frame: Mapping[str, Mapping[str, str]],
    today: date,
) -> TemplatePreview:
    """Return a preview of the template, filled in with a sample order. `frame`: the greeting and
    sign-off texts set by the client."""
    framed = AnswerFrame.of(frame, brand_name=brand_name, customer_name=_CUSTOMER["customer_name"])
    used = names(body)
    needs = tuple(sorted(used - KNOWN_NAMES))
    values = {
        **{name: f"[{name}]" for name in needs},
        **_CUSTOMER,
        **order_values(_SAMPLE, language, today),
        **framed.values(language),
        "brand_name": brand_name,
    }
    return TemplatePreview(
        text=fill(body, values).text,
        needs=needs,
        promises=tuple(sorted(used & PLACEHOLDERS)),
        unreadable=unreadable(body),
        line=unreadable_line(body),
    )

"""Convert a scenario to and from its form fields. A scenario consists of a simulation's messages,
customer and order."""

import re
from collections.abc import Mapping
from datetime import UTC
from typing import Final

from pydantic import JsonValue

from api.dashboard.post import Post
from domain.core.errors import InvalidBody
from domain.simulation.scenario import MAX_MESSAGES, Scenario

EVENT_TYPES: Final = (
    "api_direct",
    "email.inbound",
    "widget.chat.message",
    "shopify.ticket.created",
    "zendesk.ticket.created",
    "gorgias.ticket.created",
)
_CUSTOMER: Final = ("email", "name")
_ORDER: Final = ("number", "total", "refundable", "currency", "placed_at", "tracking_url")

# A time as browsers send it. The field is in UTC.
_NO_ZONE: Final = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?")

BLANK: Final[Mapping[str, str]] = {
    "turn1": "",
    "author1": "customer",
    "event_type": "shopify.ticket.created",
    "source": "",
    "subject": "",
    "customer_email": "",
    "customer_name": "",
    "customer_verified": "on",
    **{f"order_{name}": "" for name in _ORDER},
    "order_state": "shipped",
    "order_currency": "EUR",
    "order_items": "",
    "facts": "",
}


def fields_of_scenario(scenario: Scenario) -> dict[str, str]:
    """Return the form fields of a scenario."""
    fields = dict(BLANK)
    for number, message in enumerate(scenario.messages, 1):
        fields |= {f"turn{number}": message.text, f"author{number}": message.author}
    customer, order = scenario.customer, scenario.order
    fields |= {
        "event_type": scenario.event_type,
        "source": scenario.source or "",
        "subject": scenario.subject or "",
        "customer_email": customer.email or "",
        "customer_name": customer.name or "",
        "customer_verified": "on" if customer.verified else "",
        "facts": "\n".join(f"{name}: {value}" for name, value in scenario.fields.items()),
    }
    if order is not None:
        written = order.model_dump(mode="json")
        fields |= {f"order_{name}": str(written[name] or "") for name in (*_ORDER, "state")}
        # The input accepts only times without a zone, in milliseconds.
        placed = order.placed_at and order.placed_at.astimezone(UTC).replace(tzinfo=None)
        fields["order_placed_at"] = placed.isoformat(timespec="milliseconds") if placed else ""
        fields["order_items"] = "\n".join(order.items)
    return fields


def turns_in(fields: Mapping[str, str]) -> int:
    """Return the number of message fields to show in the form: all fields up to the last nonempty
    one, plus one empty field."""
    written = [n for n in range(1, MAX_MESSAGES + 1) if fields.get(f"turn{n}", "").strip()]
    return min(MAX_MESSAGES, max(written, default=0) + 1)


def scenario_in(post: Post) -> dict[str, JsonValue]:
    """Return the entered scenario as unvalidated JSON. Raises InvalidBody if an additional field is
    not written as `name: value`."""
    scenario: dict[str, JsonValue] = {
        "messages": _messages(post),
        "customer": {
            **_given(post, "customer_", _CUSTOMER),
            "verified": post.ticked("customer_verified"),
        },
        **_given(post, "", ("event_type", "source", "subject")),
    }
    order = _given(post, "order_", (*_ORDER, "state"))
    if _NO_ZONE.fullmatch(placed := str(order.get("placed_at", ""))):
        order["placed_at"] = f"{placed}Z"
    if "number" in order:
        items: list[JsonValue] = list(lines(post.text("order_items")))
        scenario["order"] = {**order, "items": items}
    if facts := _facts(post.text("facts")):
        scenario["fields"] = facts
    return scenario


def lines(text: str) -> list[str]:
    """Return the lines of a text that are not blank."""
    return [line.strip() for line in text.split("\n") if line.strip()]


def _messages(post: Post) -> list[JsonValue]:
    return [
        {"author": post.text(f"author{number}") or "customer", "text": text}
        for number in range(1, MAX_MESSAGES + 1)
        if (text := post.text(f"turn{number}")).strip()
    ]


def _given(post: Post, prefix: str, names: tuple[str, ...]) -> dict[str, JsonValue]:
    """Return the nonempty form fields among `names`, without the prefix in their names."""
    return {name: text for name in names if (text := post.text(prefix + name).strip())}


def _facts(text: str) -> dict[str, JsonValue]:
    facts: dict[str, JsonValue] = {}
    for line in lines(text):
        name, colon, value = line.partition(":")
        if not colon:
            raise InvalidBody("champ « fields »")
        facts[name.strip()] = value.strip()
    return facts

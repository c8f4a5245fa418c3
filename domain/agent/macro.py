"""Macros: templates that a member inserts into a reply, filled in from the customer's message
and order."""

import re
from dataclasses import replace
from datetime import date
from typing import Final

from domain.agent.brain import Template
from domain.agent.caller_fields import answer_fields
from domain.agent.frame import AnswerFrame
from domain.agent.order_facts import order_values
from domain.agent.plan import PLACEHOLDERS
from domain.agent.template import FRAME_NAMES, Filled, fill
from domain.intake.event import UnifiedEvent
from domain.integrations.order import Order

# A placeholder's name in brackets. A name of one word could be a person's own word.
_GAP: Final = re.compile(r"\[([a-z]{1,40}(?:_[a-z0-9]{1,40}){1,6})\]")


def gaps_in(text: str) -> tuple[str, ...]:
    """Return the names of the placeholders that a member has not replaced in a text."""
    return tuple(dict.fromkeys(_GAP.findall(text)))


def inserted(
    template: Template,
    event: UnifiedEvent,
    frame: AnswerFrame,
    *,
    brand_name: str,
    has_shop: bool,
    order: Order | None,
    today: date,
) -> Filled:
    """Return the template filled from the customer's order and from the fields that the agent's own
    answer may repeat. A placeholder without a value becomes its name in brackets, for the member to
    replace."""
    ours = PLACEHOLDERS | FRAME_NAMES
    fields = answer_fields(event, has_shop=has_shop)
    # A field must not fill a placeholder that promises an action.
    values = {name: value for name, value in fields.items() if name not in ours}
    # Values from the shop override values sent by the caller.
    values |= order_values(order, template.language, today) if order else {}
    values |= {"brand_name": brand_name, **frame.values(template.language)}
    missing = fill(template.body, values).missing
    filled = fill(template.body, {**values, **{name: f"[{name}]" for name in missing}})
    return replace(filled, missing=missing)

"""Macros: templates that a member inserts into a reply, filled in from the customer's message."""

from dataclasses import replace

from domain.agent.brain import Template
from domain.agent.frame import AnswerFrame
from domain.agent.plan import PLACEHOLDERS
from domain.agent.template import FRAME_NAMES, Filled, fill
from domain.intake.event import UnifiedEvent


def inserted(
    template: Template, event: UnifiedEvent, frame: AnswerFrame, *, brand_name: str
) -> Filled:
    """Return the template filled in from the customer's message. A placeholder without a value
    becomes its name in brackets, for the member to replace."""
    ours = PLACEHOLDERS | FRAME_NAMES
    facts = {
        "order_number": event.order_number,
        "customer_name": event.customer_name,
        "customer_email": event.customer_email,
        "subject": event.subject,
        "brand_name": brand_name,
    }
    # A field must not fill a placeholder that promises an action.
    values = {name: value for name, value in event.fields.items() if name not in ours}
    values |= {name: value for name, value in facts.items() if value}
    values |= frame.values(template.language)
    missing = fill(template.body, values).missing
    filled = fill(template.body, {**values, **{name: f"[{name}]" for name in missing}})
    return replace(filled, missing=missing)

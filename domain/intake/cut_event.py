"""Truncate an event that is too expensive to process. The truncated event keeps the beginning of
the text, which is not interpreted."""

import re
from typing import Final

from domain.core.plain_text import clean_line, clean_text
from domain.intake.event import InboundEvent, UnifiedEvent, channel_of
from domain.intake.event_sender import claimed_customer
from domain.intake.normalization import MAX_SUBJECT_CHARS

CUT_CHARS: Final = 2_000
# Read more characters than CUT_CHARS, because removed markup takes up more space than the text.
_READ_CHARS: Final = 16_000
_TEXTS: Final = ("message", "text", "body", "text_body", "html_body", "html")
_TAG: Final = re.compile(r"<[^<>]{0,400}>")


def cut_event(event: InboundEvent, *, fallback_ticket_id: str) -> UnifiedEvent:
    """Return the unified form of an event that exceeded its effort budget, in linear time.

    The customer's address comes from the caller or the email's headers, and is unverified. The
    event starts a new thread. Its text counts neither as a request nor as evidence of the sender.
    """
    return UnifiedEvent(
        channel=channel_of(event.event_type, event.source),
        ticket_id=fallback_ticket_id,
        customer_email=event.customer_email or claimed_customer(event),
        subject=_line(event.payload.get("subject")),
        text=_beginning(event),
    )


def _beginning(event: InboundEvent) -> str:
    for text in (event.message, *(event.payload.get(name) for name in _TEXTS)):
        if isinstance(text, str) and text.strip():
            return clean_text(_TAG.sub(" ", text[:_READ_CHARS]), CUT_CHARS)
    return ""


def _line(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    return clean_line(value[:_READ_CHARS], MAX_SUBJECT_CHARS) or None

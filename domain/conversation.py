"""The conversation: whose it is, and how much of it is remembered."""

from typing import Final

from domain.event import UnifiedEvent

MAX_TURNS: Final = 12
MAX_TURN_CHARS: Final = 2_000


def conversation_key(event: UnifiedEvent, event_id: str) -> str:
    """Which conversation an event belongs to, within its client.

    The customer's address where there is one (lower case: no mail provider tells cases apart),
    else the widget's session, else a conversation of its own.
    """
    if event.customer_email:
        return f"email:{event.customer_email.lower()}"
    if event.session_id:
        return f"session:{event.session_id}"
    return f"event:{event_id}"

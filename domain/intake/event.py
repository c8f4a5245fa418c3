"""The event: what a caller sends, and the one shape every kind of it is brought to.

Source: the API specification, "POST /api/engine/gateway" and "Engine event".
"""

import re
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict, JsonValue

DEFAULT_EVENT_TYPE: Final = "api_direct"
_EMAIL_HEADS: Final = frozenset({"email", "mail", "postmark", "mailgun", "sendgrid"})
_SHOP_HEADS: Final = frozenset({"woocommerce", "prestashop"})
_HELPDESK_HEADS: Final = frozenset(
    {"helpdesk", "zendesk", "zen", "gorgias", "freshdesk", "intercom", "chatwoot", "helpscout"}
)


class Channel(StrEnum):
    """Where the customer wrote. It decides how the reply can travel."""

    SHOP = "shop"
    EMAIL = "email"
    WIDGET = "widget"
    HELPDESK = "helpdesk"
    API = "api"


class InboundEvent(BaseModel):
    """One event as the caller sent it, its known fields typed and the rest in `payload`.

    `author`: id of the user who typed the event with a session, None if a system sent it. No
    caller can set it: admission takes it from the session.
    """

    model_config = ConfigDict(frozen=True)

    event_type: str
    source: str | None = None
    customer_email: str | None = None
    message: str | None = None
    payload: dict[str, JsonValue] = {}
    author: str | None = None


class UnifiedEvent(BaseModel):
    """The one shape that the brain reads, whatever the event came as.

    `text` is what the customer wrote now: plain text, without quoted replies and signature.
    `fields` holds the scalar extras of the payload as text (order_number, tracking_url …);
    templates are filled from it. `reply_allowed` is false for mail that must never be answered
    (auto-replies, lists, bounces). `message_id` and `references` thread an answer by mail.
    `order_numbers`: every number that may name an order, the caller's first; `order_number` is the
    first of them. `sender_authenticated`: a mail's sender is proved, so that the mail may authorise
    an action; what is no mail rests on `customer_verified` alone.
    `customer_verified`: the caller vouches that the customer is who the address says; visitors of
    a widget type what they like. `platform`: whose event it is, as in "zendesk". `ticket_named`:
    the caller gave `ticket_id`, so that the platform knows it; else it is the event's own id.
    `author`: id of the user who typed the event; it is then never the customer's word.
    """

    model_config = ConfigDict(frozen=True)

    channel: Channel
    ticket_id: str | None = None
    ticket_named: bool = False
    customer_email: str | None = None
    customer_name: str | None = None
    subject: str | None = None
    text: str = ""
    order_number: str | None = None
    order_numbers: tuple[str, ...] = ()
    session_id: str | None = None
    message_id: str | None = None
    references: tuple[str, ...] = ()
    reply_allowed: bool = True
    customer_verified: bool = True
    sender_authenticated: bool = True
    platform: str = ""
    author: str | None = None
    fields: dict[str, str] = {}

    @property
    def words(self) -> str:
        """What the customer wrote, subject first: what knowledge is searched by."""
        return "\n".join(part for part in (self.subject, self.text) if part)


def resolve_event_type(event_type: str | None, source: str | None) -> str:
    """The type a playbook is matched by: event_type, else source, else api_direct."""
    return event_type or source or DEFAULT_EVENT_TYPE


def head_of(name: str) -> str:
    """The first dotted part of an event type or source, folded."""
    return re.split(r"[.:/]", name.strip().lower(), maxsplit=1)[0]


def channel_of(event_type: str, source: str | None) -> Channel:
    """Where the event came from: the first dotted part of its type decides, else its source."""
    for given in (event_type, source or ""):
        head = head_of(given)
        if head in _EMAIL_HEADS:
            return Channel.EMAIL
        if head == "widget":
            return Channel.WIDGET
        if head in _SHOP_HEADS or head.startswith("shop"):
            return Channel.SHOP
        if head in _HELPDESK_HEADS:
            return Channel.HELPDESK
    return Channel.API

"""The event: the caller's format, and the unified format to which all kinds of events are
converted.

Source: the API specification, "POST /api/engine/gateway" and "Engine event".
"""

import re
from enum import StrEnum
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, JsonValue, computed_field, model_validator

from domain.intake.customer_email import customer_key
from domain.intake.merchant_request import MerchantRequest
from domain.intake.proved_address import ProofKind, ProvedAddress

DEFAULT_EVENT_TYPE: Final = "api_direct"
_EMAIL_HEADS: Final = frozenset({"email", "mail", "postmark", "mailgun", "sendgrid"})
_SHOP_HEADS: Final = frozenset({"woocommerce", "prestashop"})
_HELPDESK_HEADS: Final = frozenset(
    {"helpdesk", "zendesk", "zen", "gorgias", "freshdesk", "intercom", "chatwoot", "helpscout"}
)


class Channel(StrEnum):
    """The channel of the customer's message. It determines how the reply can be sent."""

    SHOP = "shop"
    EMAIL = "email"
    WIDGET = "widget"
    HELPDESK = "helpdesk"
    API = "api"


class InboundEvent(BaseModel):
    """An event as the caller sent it. Unknown fields are in `payload`.

    `author` is the user who typed the event, taken from the session and never from the caller.
    `merchant_request` is set only by the gateway, for trusted callers.
    """

    model_config = ConfigDict(frozen=True)

    event_type: str
    source: str | None = None
    customer_email: str | None = None
    message: str | None = None
    payload: dict[str, JsonValue] = {}
    author: str | None = None
    merchant_request: MerchantRequest | None = None


class UnifiedEvent(BaseModel):
    """The unified format of an event, the same for every kind. The brain reads this format.

    - `text`: the customer's new text as plain text, without quoted replies and signature.
    - `fields`: the payload's scalar extras as text (order_number, tracking_url …), used to fill
      templates.
    - `reply_allowed`: False for mail that must never be answered (auto-replies, lists, bounces).
    - `message_id`, `references`: the mail's ids, which place the answer in the mail's thread.
    - `order_numbers`: every number that may identify an order. The caller's number is the first.
    - `order_number`: the first of `order_numbers`.
    - `platform`: the event's platform, such as "zendesk".
    - `ticket_named`: the caller gave `ticket_id`, so the ticket exists on the platform. Otherwise,
      the ticket id is the event's own id.
    - `may_name_tickets`: the caller may choose a ticket for the agent to write in. True for events
      stored before this field existed.
    - `ticket_by_platform`: the helpdesk itself reported the message in its ticket. True for events
      stored before this field existed.
    - `proved`: the customer's address, if the author is verified to hold it. Otherwise, the address
      is a claim.
    - `mailed_back`: the event is an email from an unverified sender, and its answer goes only to
      the claimed mailbox. The answer may mention orders, but no action is allowed.
    - `is_vouched`: the caller's statements about the ticket and session are trusted.
    - `author_id`: the platform's id for the author of a helpdesk message.
    - `code_refused`: the message contained an invalid verification code.
    - `asked_before_code`: the message contained a valid verification code. `text` is the thread's
      earlier message, which another person may have written.
    - `author`: id of the user who typed the event. The text of such an event is never treated as
      the customer's text.
    - `merchant_request`: the action that the merchant's own system requests.
    """

    model_config = ConfigDict(frozen=True)

    channel: Channel
    ticket_id: str | None = None
    ticket_named: bool = False
    may_name_tickets: bool = True
    ticket_by_platform: bool = True
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
    proved: ProvedAddress | None = None
    mailed_back: bool = False
    is_vouched: bool = False
    author_id: str | None = None
    code_refused: bool = False
    asked_before_code: bool = False
    platform: str = ""
    author: str | None = None
    merchant_request: MerchantRequest | None = None
    fields: dict[str, str] = {}

    @model_validator(mode="before")
    @classmethod
    def _before_proofs(cls, data: Any) -> Any:
        """Convert a stored event from before `ProvedAddress` existed. Any other event is returned
        unchanged."""
        if isinstance(data, dict) and "customer_verified" in data and "is_vouched" not in data:
            return _with_proof(data)
        return data

    @computed_field  # type: ignore[prop-decorator]
    @property
    def customer_verified(self) -> bool:
        """True if the agent may read the customer's orders and memory. Stored events contain this
        property, so it must not be renamed."""
        if self.customer_email is None:
            return self.is_vouched and self.channel is not Channel.HELPDESK
        return self.may_act or self.mailed_back

    @computed_field  # type: ignore[prop-decorator]
    @property
    def sender_authenticated(self) -> bool:
        """True if the message may authorize an action on an order. Stored events contain this
        property, so it must not be renamed."""
        return self.may_act

    @property
    def is_in_ticket(self) -> bool:
        """True if the event belongs to the named ticket: the caller gave the ticket's id, and may
        name tickets."""
        return self.ticket_named and bool(self.ticket_id) and self.may_name_tickets

    @property
    def may_read(self) -> bool:
        """True if the customer's orders may be looked up and mentioned in the answer."""
        return self.customer_email is not None and self.customer_verified

    @property
    def may_act(self) -> bool:
        """True if the author is verified to hold the customer's address."""
        return self.proved is not None and self.proved.is_of(self.customer_email)

    @property
    def may_be_named(self) -> bool:
        """True if an answer may repeat the customer's name. The answer to an email or a ticket goes
        to the claimed address, which may be a victim's if the author is unverified."""
        return self.may_act or self.channel not in (Channel.EMAIL, Channel.HELPDESK)

    @property
    def may_state_facts(self) -> bool:
        """True if the event's fields are the merchant's own statements: the caller vouches for the
        customer or, without an address, for the event.

        A code verifies only the author's text because another person may have written the ticket's
        fields.
        """
        if self.customer_email is None:
            return self.is_vouched and self.channel is not Channel.HELPDESK
        return self.may_act and not self.is_proved_by_code

    @property
    def is_proved_by_code(self) -> bool:
        return self.proved is not None and self.proved.by is ProofKind.CODE

    @property
    def is_claim(self) -> bool:
        """True if the message contains a customer's address that its author is not verified to
        hold."""
        return self.customer_email is not None and not self.customer_verified

    @property
    def words(self) -> str:
        """The customer's text, with the subject first. It is used to search the knowledge base."""
        return "\n".join(part for part in (self.subject, self.text) if part)


def _with_proof(stored: dict[str, Any]) -> dict[str, Any]:
    """Return an event stored before `ProvedAddress` existed, with `customer_verified` and
    `sender_authenticated` converted into a verified address."""
    verified = stored["customer_verified"] is True
    proved = verified and stored.get("sender_authenticated", True) is True
    address = customer_key(stored.get("customer_email"))
    return {
        **stored,
        "proved": ProvedAddress(address=address, by=ProofKind.VOUCHED)
        if proved and address
        else None,
        "mailed_back": verified and not proved,
        "is_vouched": verified,
    }


def resolve_event_type(event_type: str | None, source: str | None) -> str:
    """Return the event type that playbooks match: `event_type` if given, else `source`, else
    "api_direct"."""
    return event_type or source or DEFAULT_EVENT_TYPE


def head_of(name: str) -> str:
    """Return the first part of an event type or source, in lower case. Parts end at a dot, colon or
    slash."""
    return re.split(r"[.:/]", name.strip().lower(), maxsplit=1)[0]


def channel_of(event_type: str, source: str | None) -> Channel:
    """Return the channel of an event. The channel is determined by the first part of the event type
    or, if that part is unknown, by the first part of the source."""
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

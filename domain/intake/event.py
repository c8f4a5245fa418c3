"""The event: what a caller sends, and the one shape every kind of it is brought to.

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
    """Where the customer wrote. It decides how the reply can travel."""

    SHOP = "shop"
    EMAIL = "email"
    WIDGET = "widget"
    HELPDESK = "helpdesk"
    API = "api"


class InboundEvent(BaseModel):
    """One event as the caller sent it, its known fields typed and the rest in `payload`.

    `author`: id of the user who typed the event with a session, None if a system sent it. No
    caller can set it: admission takes it from the session. `merchant_request`: set by the gateway
    alone, for callers whose word counts.
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
    """The one shape that the brain reads, whatever the event came as.

    `text` is what the customer wrote now: plain text, without quoted replies and signature.
    `fields` holds the scalar extras of the payload as text (order_number, tracking_url …);
    templates are filled from it. `reply_allowed` is false for mail that must never be answered
    (auto-replies, lists, bounces). `message_id` and `references` thread an answer by mail.
    `order_numbers`: every number that may name an order, the caller's first; `order_number` is the
    first of them. `platform`: of the event, as in "zendesk". `ticket_named`: the caller gave
    `ticket_id`, so that the platform knows it; else it is the event's own id.
    `proved`: the customer's address, if the author is proved to hold it; without it the address is
    a claim. `mailed_back`: a mail without a proof, whose answer reaches nothing but the claimed
    mailbox: orders may be spoken of there, and nothing may be done. `is_vouched`: the caller is
    trusted about the ticket and the session that it names. `author_id`: the platform's id of the
    author of a helpdesk's message. `code_refused`: the message brought a code that was not good.
    `asked_before_code`: the message brought the right code, and its words are those that stood in
    the thread before; another person may have written them.
    `author`: id of the user who typed the event; it is then never the customer's word.
    `merchant_request`: what the merchant's own system asks for.
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
        """Read events stored before addresses were proved by type."""
        if isinstance(data, dict) and "customer_verified" in data and "is_vouched" not in data:
            return _with_proof(data)
        return data

    @computed_field  # type: ignore[prop-decorator]
    @property
    def customer_verified(self) -> bool:
        """Whether orders and memory of the customer may be read. Stored under this name."""
        if self.customer_email is None:
            return self.is_vouched and self.channel is not Channel.HELPDESK
        return self.may_act or self.mailed_back

    @computed_field  # type: ignore[prop-decorator]
    @property
    def sender_authenticated(self) -> bool:
        """Whether the message may authorise an action. Stored under this name."""
        return self.may_act

    @property
    def may_read(self) -> bool:
        """Whether the customer's orders may be looked up and spoken of."""
        return self.customer_email is not None and self.customer_verified

    @property
    def may_act(self) -> bool:
        """Whether the author is proved to hold the customer's address."""
        return self.proved is not None and self.proved.is_of(self.customer_email)

    @property
    def is_proved_by_code(self) -> bool:
        return self.proved is not None and self.proved.by is ProofKind.CODE

    @property
    def is_claim(self) -> bool:
        """Whether the message names an address that its author may not hold."""
        return self.customer_email is not None and not self.customer_verified

    @property
    def words(self) -> str:
        """What the customer wrote, subject first: what knowledge is searched by."""
        return "\n".join(part for part in (self.subject, self.text) if part)


def _with_proof(stored: dict[str, Any]) -> dict[str, Any]:
    """What the two booleans of older events say, as a proof."""
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

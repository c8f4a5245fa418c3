"""The webhooks of the tour's platforms, Shopify, Zendesk and Postmark, with body and signature.

They follow the platforms' documentation and share no code with the product, so the tour tests its
verification.
"""

import base64
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from pydantic import JsonValue

from demo.helpdesk import DeskTicket
from demo.hub import SHOP_DOMAIN, HubAddress
from domain.core.json_time import rfc3339

SUPPORT: Final = "support@maison-lavande.example"
# A one-pixel photo.
PHOTO: Final = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJg"
    "gg=="
)


@dataclass(frozen=True, slots=True)
class SentWebhook:
    """A webhook from a platform. `delivery` is the platform's id, the same in each retry. `topic`
    is its name for the event."""

    address: HubAddress = field(repr=False)
    delivery: str
    topic: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class ShopOrder:
    """An order in the Shopify shop. `number` is the order number that customers use. `tracking_url`
    is set once it has shipped."""

    number: str
    customer: str
    placed_at: datetime
    tracking_url: str | None = None


def order_webhook(
    address: HubAddress, order: ShopOrder, topic: str, delivery: str, now: datetime
) -> SentWebhook:
    """Return a Shopify webhook about an order. Its signature is the HMAC-SHA256 of the raw body, in
    base64."""
    parcel: dict[str, JsonValue] = {"status": "success", "tracking_url": order.tracking_url}
    body = _json(
        {
            "id": 7_000_000_000 + int(order.number),
            "name": f"#{order.number}",
            "email": order.customer,
            "currency": "EUR",
            "total_price": "64.00",
            "created_at": order.placed_at.isoformat(timespec="seconds"),
            "updated_at": now.isoformat(timespec="milliseconds"),
            "fulfillment_status": "fulfilled" if order.tracking_url else None,
            "line_items": [{"title": "vase Brume", "quantity": 1}],
            "fulfillments": [parcel] if order.tracking_url else [],
        }
    )
    signature = hmac.digest(address.secret.encode(), body, "sha256")
    headers = {
        "X-Shopify-Topic": topic,
        "X-Shopify-Shop-Domain": SHOP_DOMAIN,
        "X-Shopify-Event-Id": delivery,
        "X-Shopify-Hmac-Sha256": base64.b64encode(signature).decode(),
    }
    return SentWebhook(address, delivery, topic, headers, body)


def ticket_webhook(
    address: HubAddress, ticket: DeskTicket, delivery: str, now: datetime
) -> SentWebhook:
    """Return a Zendesk webhook about a ticket. Its signature is the HMAC-SHA256 of the timestamp
    and the raw body, in base64."""
    topic = "zen:event-type:ticket.created"
    stamp = rfc3339(now, "seconds")
    body = _json(
        {
            "type": topic,
            "id": delivery,
            "time": stamp,
            "detail": {
                "id": str(ticket.number),
                "subject": ticket.subject,
                "description": ticket.comments[0].text,
                "status": "NEW",
                "is_public": True,
                "created_at": stamp,
                "requester_id": "9",
                "actor_id": "9",
            },
            "event": {},
        }
    )
    signature = hmac.digest(address.secret.encode(), stamp.encode() + body, "sha256")
    headers = {
        "X-Zendesk-Webhook-Invocation-Id": delivery,
        "X-Zendesk-Webhook-Signature-Timestamp": stamp,
        "X-Zendesk-Webhook-Signature": base64.b64encode(signature).decode(),
    }
    return SentWebhook(address, delivery, topic, headers, body)


@dataclass(frozen=True, slots=True)
class CustomerMail:
    """An email from a customer. `message_id` is the Message-ID without angle brackets."""

    sender: str
    name: str
    subject: str
    text: str
    message_id: str
    sent_at: datetime


def mail_webhook(address: HubAddress, mail: CustomerMail) -> SentWebhook:
    """Return a Postmark webhook with an email. Postmark does not sign webhooks, so a secret URL
    authenticates the request."""
    photo: JsonValue = {
        "Name": "vase.png",
        "Content": base64.b64encode(PHOTO).decode(),
        "ContentType": "image/png",
        "ContentLength": len(PHOTO),
    }
    person: JsonValue = {"Email": mail.sender, "Name": mail.name, "MailboxHash": ""}
    support: JsonValue = {"Email": SUPPORT, "Name": "", "MailboxHash": ""}
    body = _json(
        {
            "FromName": mail.name,
            "MessageStream": "inbound",
            "From": mail.sender,
            "FromFull": person,
            "To": SUPPORT,
            "ToFull": [support],
            "Cc": "",
            "CcFull": [],
            "OriginalRecipient": SUPPORT,
            "Subject": mail.subject,
            "MessageID": mail.message_id.partition("@")[0],
            "ReplyTo": "",
            "MailboxHash": "",
            "Date": _mail_date(mail.sent_at),
            "TextBody": mail.text,
            "HtmlBody": "",
            "StrippedTextReply": "",
            "Tag": "",
            "Headers": [{"Name": "Message-ID", "Value": f"<{mail.message_id}>"}],
            "Attachments": [photo],
        }
    )
    return SentWebhook(address, mail.message_id.partition("@")[0], "inbound", {}, body)


def _mail_date(at: datetime) -> str:
    return at.strftime("%a, %d %b %Y %H:%M:%S +0000")


def _json(body: dict[str, JsonValue]) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode()


def placed(now: datetime) -> datetime:
    """Return the time at which the order was placed in the tour's Shopify shop."""
    return now - timedelta(days=2)

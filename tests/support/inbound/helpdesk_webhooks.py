"""Helpdesk webhooks, as their platforms send them."""

import base64
import hmac
import json
from datetime import datetime
from hashlib import sha1, sha256

from pydantic import JsonValue

from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import Identity

SECRET = "HRkRd4BeOAoUkfZr-mhauJT64rvBASlJRoIyPsd3zeA="


def zendesk_request(
    body: bytes | dict[str, JsonValue],
    *,
    at: datetime,
    secret: str = SECRET,
    invocation: str = "01M07AMDNSHP8D7584XEZDTQMP",
) -> InboundRequest:
    """Return a Zendesk request signed at a time."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    stamp = at.strftime("%Y-%m-%dT%H:%M:%SZ")
    digest = hmac.new(secret.encode(), stamp.encode() + raw, sha256).digest()
    return InboundRequest(
        {
            "x-zendesk-webhook-signature": base64.b64encode(digest).decode(),
            "x-zendesk-webhook-signature-timestamp": stamp,
            "x-zendesk-webhook-invocation-id": invocation,
        },
        raw,
    )


def comment_added(
    *,
    ticket_id: str = "5158",
    comment_id: str = "8978649137022",
    body: str = "Où est mon colis ?",
    author_id: str = "8447388090494",
    is_staff: bool = False,
    is_public: bool = True,
    created_at: str = "2026-11-08T10:12:07Z",
    time: str = "2026-11-08T11:40:07.672717030Z",
) -> dict[str, JsonValue]:
    """Return Zendesk's comment event, with its documented fields."""
    return {
        "account_id": 22129848,
        "detail": {
            "actor_id": "8447388090494",
            "assignee_id": "8447388090495",
            "brand_id": "8447346621310",
            "created_at": created_at,
            "description": "Où est mon colis ?",
            "external_id": None,
            "id": ticket_id,
            "is_public": True,
            "priority": "LOW",
            "requester_id": "8447388090494",
            "status": "OPEN",
            "subject": "Livraison",
            "tags": ["colis"],
            "updated_at": time,
            "via": {"channel": "email"},
        },
        "event": {
            "meta": {"sequence": {"id": "1", "position": 1}},
            "comment": {
                "author": {"id": author_id, "is_staff": is_staff, "name": "Léa Martin"},
                "body": body,
                "id": comment_id,
                "is_public": is_public,
            },
        },
        "id": "cbe4028c-7239-495d-b020-f22348516046",
        "subject": f"zen:ticket:{ticket_id}",
        "time": time,
        "type": "zen:event-type:ticket.comment_added",
        "zendesk_event_version": "2022-11-06",
    }


def helpdesk_form(**fields: JsonValue) -> dict[str, JsonValue]:
    """Return our filled template with a customer's message."""
    return {
        "event": "message",
        "ticket_id": "35436",
        "subject": "Livraison",
        "message_id": "54509363035291",
        "message": "Où est mon colis ?",
        "public": "true",
        "from_agent": "false",
        "author_email": "lea@example.com",
        "customer_email": "lea@example.com",
        "customer_name": "Léa Martin",
        **fields,
    }


def form_request(body: dict[str, JsonValue], secret: str = SECRET) -> InboundRequest:
    return InboundRequest({"x-inbound-secret": secret}, json.dumps(body).encode())


def intercom_request(body: dict[str, JsonValue], secret: str = SECRET) -> InboundRequest:
    raw = json.dumps(body).encode()
    digest = hmac.new(secret.encode(), raw, sha1).hexdigest()
    return InboundRequest({"x-hub-signature": f"sha1={digest}"}, raw)


def notification(topic: str, *parts: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return an Intercom notification for a conversation with these parts."""
    author: JsonValue = {
        "type": "user",
        "id": "u1",
        "name": "Léa Martin",
        "email": "lea@example.com",
    }
    return {
        "type": "notification_event",
        "id": "notif_ccd8a4d0-f965-11e3-a367-c779cae3e1b3",
        "topic": topic,
        "app_id": "abc123",
        "created_at": 1_700_000_000,
        "delivery_attempts": 1,
        "data": {
            "type": "notification_event_data",
            "item": {
                "type": "conversation",
                "id": "1911149811",
                "source": {
                    "id": "403918330",
                    "subject": "<p>Livraison</p>",
                    "body": "<p>Où est mon colis ?</p>",
                    "author": author,
                },
                "conversation_parts": {"conversation_parts": [*parts]},
            },
        },
    }


def conversation_part(
    number: int, body: str | None, *, kind: str = "comment", by: str = "user"
) -> dict[str, JsonValue]:
    author: JsonValue = {"type": by, "id": "991" if by == "admin" else "u1", "name": "x"}
    return {"id": str(number), "part_type": kind, "body": body, "author": author}


def identity(topic: str) -> Identity:
    return Identity(dedup_key="one", topic=topic)

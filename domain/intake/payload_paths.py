"""Dotted paths to event fields in the payloads of helpdesks, shops and inbound mail providers."""

from typing import Final

# The most specific paths come first. A helpdesk's "message", "comment" and "ticket" may each be an
# object or a string.
MAIL_TEXT: Final = ("message", "text_body", "text", "body", "body_plain", "body_text")
HELPDESK_TEXT: Final = (
    "message", "message.body_text", "message.text", "message.stripped_text", "message.body",
    "message.content", "event.comment.body", "comment.plain_body", "comment.body", "comment",
    "latest_comment", "ticket.latest_comment", "ticket.latest_public_comment",
    "ticket.comment.body", "freshdesk_webhook.ticket_latest_public_comment",
    "data.item.source.body", "text_body", "body_text", "text", "body", "content",
    "detail.description", "ticket.description", "freshdesk_webhook.ticket_description",
    "description",
)  # fmt: skip
OTHER_TEXT: Final = (
    "message", "text", "body", "content", "customer_note", "note", "description",
    "message.text", "message.body", "text_body",
)  # fmt: skip
HTML: Final = (
    "html_body", "html", "body_html", "message.body_html", "message.html_body",
    "event.comment.html_body", "comment.html_body", "ticket.comment.html_body",
)  # fmt: skip
EMAIL_ADDRESS: Final = (
    "customer_email", "requester.email", "ticket.requester.email", "ticket.customer.email",
    "ticket.requester_email", "customer.email", "message.sender.email", "sender.email",
    "event.comment.author.email", "data.item.source.author.email", "user.email", "contact.email",
    "requester_email", "sender_email", "freshdesk_webhook.ticket_requester_email", "email",
    "contact_email", "order.email", "order.customer.email", "billing.email",
    "order.billing.email", "visitor.email",
)  # fmt: skip
NAME_HOLDERS: Final = (
    "customer", "requester", "ticket.requester", "ticket.customer", "message.sender", "sender",
    "data.item.source.author", "user", "contact", "order.customer", "billing", "order.billing",
    "visitor",
)  # fmt: skip
ORDER: Final = (
    "order_number", "orderNumber", "order.name", "order.number", "order.order_number", "order_id",
    "order", "order.id", "ticket.order_number", "ticket.order_id",
)  # fmt: skip
SUBJECT: Final = (
    "subject", "ticket.subject", "ticket.title", "detail.subject", "message.subject", "title",
    "freshdesk_webhook.ticket_subject", "data.item.source.subject",
)  # fmt: skip
TICKET_ID: Final = ("ticket_id", "ticket.id", "ticket.ticket_id")
HELPDESK_TICKET_ID: Final = (
    *TICKET_ID, "detail.id", "freshdesk_webhook.ticket_id", "data.item.id", "conversation.id",
    "id",
)  # fmt: skip

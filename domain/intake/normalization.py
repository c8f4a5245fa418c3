"""Convert every kind of event to the unified format that the brain reads.

The formats come from the API specification ("normalizes it into a unified format") and from
helpdesks, shops and mail providers. Any JSON payload yields an event.
"""

import re
from typing import Final

from pydantic import JsonValue

from domain.core.plain_text import clean_line, clean_text
from domain.intake.customer_email import customer_key, spells_its_key
from domain.intake.event import Channel, InboundEvent, UnifiedEvent, channel_of, head_of
from domain.intake.event_sender import EventSender, event_sender
from domain.intake.mail_automatic import may_reply
from domain.intake.mail_headers import MailHeaders, decoded_line, message_ids
from domain.intake.mail_text import latest_reply, latest_reply_of_html, looks_like_html
from domain.intake.order_number import find_order_numbers, same_once
from domain.intake.payload_paths import (
    HELPDESK_TEXT,
    HELPDESK_TICKET_ID,
    HTML,
    MAIL_TEXT,
    NAME_HOLDERS,
    ORDER,
    OTHER_TEXT,
    SUBJECT,
    TICKET_ID,
)
from domain.intake.payload_view import PayloadView, folded, scalar_text
from domain.intake.proved_address import (
    CUSTOMER_VERIFIED,
    ProofKind,
    ProvedAddress,
    claims_proof,
    is_by_platform,
    is_trusted,
)

MAX_SUBJECT_CHARS: Final = 500
MAX_NAME_CHARS: Final = 200
MAX_ID_CHARS: Final = 200
MAX_ORDER_CHARS: Final = 64
MAX_FIELD_CHARS: Final = 500
MAX_FIELDS: Final = 200

_DERIVED: Final = ("customer_name", "order_number", "customer_email", "subject")
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_BODY_KEYS: Final = frozenset(
    folded(path) for path in (*MAIL_TEXT, *HELPDESK_TEXT, *OTHER_TEXT, *HTML) if "." not in path
) | {"headers", "messageheaders", "strippedtext", "strippedhtml", "strippedtextreply", "rawemail"}
_FORWARD: Final = re.compile(r"(?:fwd?|tr|wg|rv|i) ?:", re.IGNORECASE)


def normalize(
    event: InboundEvent, *, fallback_ticket_id: str, authserv_ids: tuple[str, ...] = ()
) -> UnifiedEvent:
    """Return the unified form of an event. Deterministic, and never raises.

    `fallback_ticket_id` is used if the payload has no ticket id. `authserv_ids` are the client's
    trusted mail servers.
    """
    channel = channel_of(event.event_type, event.source)
    view = PayloadView(event.payload)
    subject = decoded_line(view.raw(SUBJECT) or "", MAX_SUBJECT_CHARS) or None
    text = _text(event, channel, view, subject or "")
    parsed = MailHeaders(view)
    who = event_sender(event, channel, parsed, text, authserv_ids)
    email, name = who.box.address, _customer_name(view, who.box.name)
    asked = event.merchant_request if event.author is None else None
    given = asked.order_number.lstrip("# ") if asked else _order_number(channel, view)
    found = (*find_order_numbers(subject or ""), *find_order_numbers(text))
    orders = same_once((given, *found) if given else found)
    order = next(iter(orders), None)
    derived = dict(zip(_DERIVED, (name, order, email, subject), strict=True))
    headers = parsed.first()
    mail = channel is Channel.EMAIL
    ticket = _ticket_id(channel, view)
    return UnifiedEvent(
        channel=channel,
        ticket_id=ticket or fallback_ticket_id,
        ticket_named=ticket is not None,
        may_name_tickets=is_trusted(event.payload),
        ticket_by_platform=is_by_platform(event.payload),
        customer_email=email,
        customer_name=name,
        subject=subject,
        text=text,
        order_number=order,
        order_numbers=orders,
        session_id=_session_id(channel, view) if is_trusted(event.payload) else None,
        message_id=_message_id(view, headers) if mail else None,
        references=_references(headers) if mail else (),
        reply_allowed=_reply_allowed(channel, view, headers, who, (subject or "", text)),
        proved=_proved(event, channel, who),
        mailed_back=mail and not who.is_authenticated and names_verified(event, channel, who),
        is_vouched=_is_vouched(event, channel, who),
        author_id=view.line(("author_id",), MAX_ID_CHARS) if channel is Channel.HELPDESK else None,
        platform=head_of(event.event_type),
        author=event.author,
        merchant_request=asked,
        fields=_fields(event.payload, derived),
    )


def _proved(event: InboundEvent, channel: Channel, who: EventSender) -> ProvedAddress | None:
    address = customer_key(who.box.address)
    if address is None or not (who.is_authenticated and names_verified(event, channel, who)):
        return None
    by_caller = channel is not Channel.EMAIL or claims_proof(event.payload)
    return ProvedAddress(address=address, by=ProofKind.VOUCHED if by_caller else ProofKind.MAIL)


def names_verified(event: InboundEvent, channel: Channel, who: EventSender) -> bool:
    """Return True if the caller vouches for the customer, and the customer's address is in
    canonical form."""
    return spells_its_key(who.box.address or "") and is_verified(event, channel)


def is_verified(event: InboundEvent, channel: Channel) -> bool:
    """Return True if the caller vouches for the customer.

    Trusted callers do so unless the payload says otherwise. Widget visitors and ticket authors type
    their own address, so they need an explicit `customer_verified`. An event typed by a user never
    vouches for a customer.
    """
    if event.author is not None or not is_trusted(event.payload):
        return False
    said = event.payload.get(CUSTOMER_VERIFIED)
    return said if isinstance(said, bool) else not _is_typed(event, channel)


def _is_typed(event: InboundEvent, channel: Channel) -> bool:
    return channel is Channel.HELPDESK or _is_by_visitor(event)


def _is_by_visitor(event: InboundEvent) -> bool:
    return "widget" in (head_of(event.event_type), head_of(event.source or ""))


def _is_vouched(event: InboundEvent, channel: Channel, who: EventSender) -> bool:
    """Return True if the ids of the ticket and session come from the platform.

    Visitors can send any id. The requester of a ticket opened by a form is the form, not the
    author.
    """
    if _is_by_visitor(event) or (who.box.address is None and channel is not Channel.HELPDESK):
        return is_verified(event, channel)
    return event.author is None and is_trusted(event.payload) and who.is_themselves


def _text(event: InboundEvent, channel: Channel, view: PayloadView, subject: str) -> str:
    mail_like = channel in {Channel.EMAIL, Channel.HELPDESK}
    forwarded = _FORWARD.match(subject) is not None
    given = event.message if event.message and event.message.strip() else None
    paths = {Channel.EMAIL: MAIL_TEXT, Channel.HELPDESK: HELPDESK_TEXT}.get(channel, OTHER_TEXT)
    plain = given or view.raw(paths)
    # Helpdesks put HTML into fields called "body". The `message` field contains HTML only in an
    # email.
    html_expected = channel is Channel.EMAIL or (channel is Channel.HELPDESK and given is None)
    if plain and html_expected and looks_like_html(plain):
        plain, html = None, plain
    else:
        html = None if plain else view.raw(HTML)
    if plain:
        return latest_reply(plain, forwarded=forwarded) if mail_like else clean_text(plain)
    return latest_reply_of_html(html, forwarded=forwarded) if html else ""


def _customer_name(view: PayloadView, from_name: str | None) -> str | None:
    direct = view.line(("customer_name",), MAX_NAME_CHARS)
    # An order event from a shop has an order number such as "#1001" in the payload's `name`.
    name = view.line(("name",), MAX_NAME_CHARS)
    direct = direct or (name if name and not name.startswith("#") else None) or from_name
    if direct:
        return direct
    for holder in NAME_HOLDERS:
        whole = view.line((f"{holder}.name",), MAX_NAME_CHARS)
        first = view.line((f"{holder}.first_name", f"{holder}.firstname"), MAX_NAME_CHARS)
        last = view.line((f"{holder}.last_name", f"{holder}.lastname"), MAX_NAME_CHARS)
        found = whole or " ".join(part for part in (first, last) if part)
        if found:
            return found[:MAX_NAME_CHARS]
    return None


def _order_number(channel: Channel, view: PayloadView) -> str | None:
    # An order event from a shop contains the order's own fields: WooCommerce's `number`, Shopify's
    # `name` "#1001".
    paths = (*ORDER, "number") if channel is Channel.SHOP else ORDER
    given = view.line(paths, MAX_ORDER_CHARS + 1)
    if given is None and channel is Channel.SHOP:
        name = view.line(("name",), MAX_ORDER_CHARS + 1)
        given = name if name and name.startswith("#") else None
    number = given.lstrip("# ") if given else ""
    return number if 0 < len(number) <= MAX_ORDER_CHARS else None


def _ticket_id(channel: Channel, view: PayloadView) -> str | None:
    paths = HELPDESK_TICKET_ID if channel is Channel.HELPDESK else TICKET_ID
    found = view.line(paths, MAX_ID_CHARS + 1)
    # Ignore an id that is too long, because a truncated id could match another ticket.
    return found if found and len(found) <= MAX_ID_CHARS else None


def _session_id(channel: Channel, view: PayloadView) -> str | None:
    if channel not in {Channel.WIDGET, Channel.API}:
        return None
    found = view.line(("session_id",), MAX_ID_CHARS + 1)
    return found if found and len(found) <= MAX_ID_CHARS else None


def _message_id(view: PayloadView, headers: dict[str, str]) -> str | None:
    ids = message_ids(headers.get("message-id") or view.line(("message_id",), 1_000) or "")
    return ids[0] if ids else None


def _references(headers: dict[str, str]) -> tuple[str, ...]:
    return message_ids(f"{headers.get('references', '')} {headers.get('in-reply-to', '')}")


def _reply_allowed(
    channel: Channel,
    view: PayloadView,
    headers: dict[str, str],
    who: EventSender,
    words: tuple[str, str],
) -> bool:
    subject, text = words
    # The answer to a message from a form goes to the person whom the form identifies, if any.
    by_form = who.by_form and who.box.address is not None
    if channel is Channel.EMAIL:
        return may_reply(headers, who.senders, subject, text, by_form=by_form)
    if channel is Channel.HELPDESK:
        # Do not pass the subject, because a ticket's subject does not describe its latest message.
        return may_reply(headers, who.senders, "", text, by_form=by_form) and not _by_staff(view)
    return True


def _by_staff(view: PayloadView) -> bool:
    """Return True if the helpdesk's own agent wrote the message. An answer to such a message would
    cause a loop."""
    outgoing = ("message.from_agent", "from_agent", "event.comment.author.is_staff", "private")
    public = ("event.comment.is_public", "comment.public", "comment.is_public", "message.public")
    return (
        any(view.get(path) is True for path in outgoing)
        or any(view.get(path) is False for path in public)
        or view.get("message_type") in ("outgoing", 1)
    )


def _fields(payload: dict[str, JsonValue], derived: dict[str, str | None]) -> dict[str, str]:
    """Return the payload's scalar extras as text. Values in `derived` take precedence."""
    fields: dict[str, str] = {}
    for key, value in payload.items():
        if len(fields) >= MAX_FIELDS:
            break
        text = scalar_text(value)
        if text is None or len(text) > MAX_FIELD_CHARS or key in derived:
            continue
        if _IDENTIFIER.fullmatch(key) and folded(key) not in _BODY_KEYS:
            line = clean_line(text, MAX_FIELD_CHARS)
            if line:
                fields[key] = line
    fields.update({key: value for key, value in derived.items() if value})
    return fields

"""The reduced event, which replaces the original in a dry run. `normalize` returns the same result
for both.

It omits attachments, alternative texts and an email's trace headers. Long texts are cut to
MAX_TEXT_BYTES, and large payloads to MAX_PAYLOAD_BYTES. `tests/domain/intake/test_essentials.py`
checks every field that `normalize` reads.
"""

import re
from functools import cache
from typing import Final

from pydantic import JsonValue
from pydantic_core import to_json

from domain.core.plain_text import clean_line
from domain.intake.event import Channel, InboundEvent, channel_of
from domain.intake.mail_headers import header_pair
from domain.intake.normalization import MAX_FIELD_CHARS
from domain.intake.payload_paths import (
    EMAIL_ADDRESS,
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

MAX_TEXT_BYTES: Final = 100_000
"""Maximum length of a reduced event's text, in bytes. A brain reads 8,000 characters
(`domain/agent/size_limits.py`) of the text without quotes and markup."""

MAX_PAYLOAD_BYTES: Final = 250_000
"""Maximum size of a reduced event's payload, in bytes."""

# Matches an image embedded in an email's HTML. Images are removed before a text is truncated
# because a large one may precede the customer's words.
_IMAGE: Final = re.compile(r"\bdata:[\w/+.;=-]{0,100},[\w+/=%]{200,}", re.ASCII)

# Apart from the text, the longest value that `normalize` reads is the list of message ids, limited
# to 8,000 characters. This limit is four times that length.
_MAX_VALUE_CHARS: Final = 32_000
# One character more than `normalize` reads, so that `normalize` recognizes a truncated block.
_MAX_HEADER_BLOCK: Final = 100_001
# One item more than `normalize` reads from any list, so that `normalize` recognizes a truncated
# list.
_MAX_ITEMS: Final = 301
# The objects and lists of real senders never have more entries. Filtering a larger object or list
# would delay other requests, so it is passed on unchanged.
_MANY: Final = 500
# `PayloadView` matches the keys of large objects only by exact spelling. A reduced object must
# therefore not become small enough for lenient matching.
_FEW_KEYS: Final = 100

_TEXTS: Final = {Channel.EMAIL: MAIL_TEXT, Channel.HELPDESK: HELPDESK_TEXT}
_LINES: Final = (
    "customer_name", "name", "number", "session_id", "customer_verified",
    "caller_vouches", "ticket_by_platform", "author_id",
    "message.from_agent", "from_agent", "private", "message_type", "event.comment.author.is_staff",
    "event.comment.is_public", "comment.public", "comment.is_public", "message.public",
)  # fmt: skip
_BOXES: Final = (
    "from", "from_full", "reply_to", "to", "cc", "to_full", "cc_full", "recipient", "recipients",
    "original_recipient", "delivered_to", "envelope.to", "sender",
)  # fmt: skip
_BOX: Final = ("email", "address", "mailbox", "name")
_PERSON: Final = ("name", "first_name", "firstname", "last_name", "lastname")
_HEADER_PATHS: Final = ("headers", "message_headers", "message.headers")
# Each of these names can occur in the headers or at the top level.
_HEADERS: Final = frozenset(
    """from sender reply-to to cc delivered-to x-original-to return-path authentication-results
    message-id references in-reply-to content-type auto-submitted precedence
    x-auto-response-suppress x-autoreply x-autorespond x-failed-recipients""".split()  # noqa: SIM905
)
_LISTS: Final = "list-"
_BODY_TEXT, _BODY_HTML = "text_body", "html_body"
_BODIES: Final = frozenset(
    folded(path) for path in (*MAIL_TEXT, *HELPDESK_TEXT, *OTHER_TEXT, *HTML) if "." not in path
)


class _Wanted:
    """The parts of an object that `normalize` reads. `by` maps a folded key to a wanted field.
    `ends` means that the object itself is read as a value. `headers` means that it contains an
    email's headers."""

    def __init__(self) -> None:
        self.by: dict[str, _Wanted] = {}
        self.ends = False
        self.headers = False

    def at(self, path: str) -> "_Wanted":
        found = self
        for name in path.split("."):
            found = found.by.setdefault(folded(name), _Wanted())
        return found


def essential(event: InboundEvent) -> InboundEvent:
    """Return the event without the parts that `normalize` does not read, truncated to a bounded
    size. Never raises."""
    payload = event.payload if len(event.payload) > _MANY else _filtered(event)
    return event.model_copy(
        update={
            "message": None if event.message is None else _beginning(event.message),
            "payload": _fitting(payload),
        }
    )


def _fitting(payload: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the entries that fit into MAX_PAYLOAD_BYTES. Earlier entries take precedence."""
    left = MAX_PAYLOAD_BYTES
    if len(to_json(payload)) <= left:
        return payload
    kept: dict[str, JsonValue] = {}
    for key, whole in payload.items():
        value = _beginning(whole) if isinstance(whole, str) else whole
        size = len(to_json({key: value}))
        if size <= left:
            kept[key] = value
            left -= size
    return kept


def _beginning(text: str) -> str:
    """Return the text if it fits into MAX_TEXT_BYTES. Otherwise, return its beginning, without the
    images embedded in its HTML."""
    # A character has at most four bytes in UTF-8, so a short text certainly fits and need not be
    # encoded.
    if len(text) <= MAX_TEXT_BYTES // 4 or len(text.encode()) <= MAX_TEXT_BYTES:
        return text
    return _IMAGE.sub("data:", text).lstrip().encode()[:MAX_TEXT_BYTES].decode(errors="ignore")


def _filtered(event: InboundEvent) -> dict[str, JsonValue]:
    payload = _body(event)
    for key, value in event.payload.items():
        wanted, text = _wanted().by.get(folded(key)), scalar_text(value)
        if text is not None and len(text) <= MAX_FIELD_CHARS and folded(key) not in _BODIES:
            payload[key] = value  # The value may fill a template placeholder.
        elif wanted is not None:
            # Keep the key even if no part of its value is read. If a key occurs in two spellings,
            # `normalize` uses the first, which must therefore not disappear.
            payload[key] = _kept(value, wanted)
    return payload


def _body(event: InboundEvent) -> dict[str, JsonValue]:
    """Return an object with the one text in the payload that `normalize` reads, under a key that it
    reads for every channel.

    The object is empty if the event's `message` takes precedence, or if the payload has no text.
    """
    if event.message and event.message.strip():
        return {}
    view = PayloadView(event.payload)
    texts = _TEXTS.get(channel_of(event.event_type, event.source), OTHER_TEXT)
    for name, paths in ((_BODY_TEXT, texts), (_BODY_HTML, HTML)):
        if found := view.raw(paths):
            return {name: _beginning(found)}
    return {}


def _kept(value: JsonValue, wanted: _Wanted) -> JsonValue:
    """Return the parts of a value that `normalize` reads, or None if it reads none."""
    if isinstance(value, dict | list) and len(value) > _MANY:
        return value
    if wanted.headers:
        return _kept_headers(value)
    if isinstance(value, dict):
        few = len(value) <= _FEW_KEYS
        kept: dict[str, JsonValue] = {}
        for key, inner in value.items():
            sought = wanted.by.get(folded(key))
            if sought is not None or not few:
                kept[key] = None if sought is None else _kept(inner, sought)
        return kept
    if isinstance(value, list) and wanted.ends:
        items = value[:_MAX_ITEMS]
        return [None if isinstance(item, list) else _kept(item, wanted) for item in items]
    return _cut(value, _MAX_VALUE_CHARS) if wanted.ends else None


def _kept_headers(value: JsonValue) -> JsonValue:
    """Return all headers, without the values that `normalize` does not read. All names are kept
    because the number of headers counts toward a limit."""
    if isinstance(value, dict):
        return {name: _value(name, inner) for name, inner in value.items()}
    if isinstance(value, list):
        pairs = map(header_pair, value)
        return [None if one is None else [one[0], _value(*one)] for one in pairs]
    return _cut(value, _MAX_HEADER_BLOCK)


def _value(name: str, value: JsonValue) -> JsonValue:
    header = clean_line(name, 200).lower()
    if header not in _HEADERS and not header.startswith(_LISTS):
        return None
    if isinstance(value, list):
        return [_cut(item, _MAX_VALUE_CHARS) for item in value[:_MAX_ITEMS]]
    return _cut(value, _MAX_VALUE_CHARS)


def _cut(value: JsonValue, limit: int) -> JsonValue:
    """Truncate a scalar value to `limit` characters, unless the rest would be blank. Return None
    for an object or a list."""
    if isinstance(value, dict | list):
        return None
    if not isinstance(value, str) or len(value) <= limit:
        return value
    return value[:limit] if value[:limit].strip() else value


@cache
def _wanted() -> _Wanted:
    top = _Wanted()
    lines = (*_LINES, *SUBJECT, *EMAIL_ADDRESS, *ORDER, *TICKET_ID, *HELPDESK_TICKET_ID)
    people = (f"{holder}.{name}" for holder in NAME_HOLDERS for name in _PERSON)
    for path in (*lines, *people, *_BOXES, *_HEADERS, "list_id", "list_unsubscribe", "list_post"):
        top.at(path).ends = True
    for path in _BOXES:
        for name in _BOX:
            top.at(f"{path}.{name}").ends = True
    for path in _HEADER_PATHS:
        top.at(path).headers = True
    return top

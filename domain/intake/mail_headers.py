"""Mail headers in a payload: threading, the sender, and whether the mail may be answered."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from email.errors import MessageError
from email.header import decode_header, make_header
from email.utils import parseaddr
from typing import Final

from pydantic import JsonValue

from domain.core.plain_text import clean_address, clean_line, without_controls
from domain.intake.payload_view import PayloadView, scalar_text

_MAX_HEADERS: Final = 300
_MAX_VALUE_CHARS: Final = 8_000
_MAX_REFERENCES: Final = 20
_MESSAGE_ID: Final = re.compile(r"<[^<>\s]{1,250}>")
_ADDRESS: Final = re.compile(r"[^\s@<>,;\"]{1,64}@[^\s@<>,;\"]{1,255}")

# The names under which senders of payloads also put these headers at the top level.
_TOP_LEVEL: Final = (
    "auto-submitted", "precedence", "x-auto-response-suppress", "list-id", "list-unsubscribe",
    "list-post", "return-path", "sender", "content-type", "in-reply-to", "references", "message-id",
    "x-autoreply", "x-autorespond", "x-failed-recipients",
)  # fmt: skip
_ROBOT: Final = re.compile(
    r"(?:mailer-daemon|postmaster|no[-_.]?reply|do[-_.]?not[-_.]?reply|bounces?"
    r"|ne[-_.]?pas[-_.]?r[eé]pondre|nepasrepondre)(?:$|[-_.+=@\d])",
    re.IGNORECASE,
)
_AUTO_SUBJECT: Final = re.compile(
    r"(?:automatic reply|auto(?:matic)?[- ]?reply|out of office|réponse automatique"
    r"|absence du bureau|undelivered mail|undeliverable|delivery status notification)\s*(?::|$|\()",
    re.IGNORECASE,
)


def mail_headers(view: PayloadView) -> dict[str, str]:
    """Header name, lower case, to value, from `headers` in any usual shape and top-level keys.

    `headers` may be an object, a list of {name, value} or of pairs, or the raw header block.
    Values keep no line break. Never raises.
    """
    found: dict[str, str] = {}
    for path in ("headers", "message_headers", "message.headers"):
        for count, (name, value) in enumerate(_pairs(view.get(path))):
            if count >= _MAX_HEADERS:
                break
            found.setdefault(clean_line(name, 200).lower(), clean_line(value, _MAX_VALUE_CHARS))
    for name in _TOP_LEVEL:
        given = _joined(view.get(name))
        if given is not None:
            found.setdefault(name, clean_line(given, _MAX_VALUE_CHARS))
    return found


def _pairs(value: JsonValue | None) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        value = _decoded_block(value)
    if isinstance(value, dict):
        for name, content in value.items():
            joined = _joined(content)
            if joined is not None:
                yield name, joined
    elif isinstance(value, list):
        for item in value:
            pair = _pair(item)
            if pair is not None:
                yield pair


def _pair(item: JsonValue) -> tuple[str, str] | None:
    if isinstance(item, dict):
        named = PayloadView(item)
        name, content = named.get("name") or named.get("key"), named.get("value")
    elif isinstance(item, list) and len(item) == 2:
        name, content = item
    else:
        return None
    joined = _joined(content)
    return (name, joined) if isinstance(name, str) and joined is not None else None


def _joined(value: JsonValue | None) -> str | None:
    if isinstance(value, list):
        return " ".join(text for item in value[:200] if (text := scalar_text(item)) is not None)
    return scalar_text(value)


def _decoded_block(block: str) -> JsonValue:
    """A raw header block as pairs, or what its JSON says (Mailgun's message-headers)."""
    block = block[:100_000]
    if block.lstrip()[:1] in {"[", "{"}:
        try:
            decoded: JsonValue = json.loads(block)
        except (ValueError, RecursionError):
            return None
        return decoded if isinstance(decoded, list | dict) else None
    pairs: list[list[str]] = []
    for line in without_controls(block).split("\n"):
        if line[:1] in {" ", "\t"} and pairs:
            pairs[-1].append(line.strip())
        elif ":" in line:
            name, _, content = line.partition(":")
            pairs.append([name.strip(), content.strip()])
    return [[name, " ".join(contents)] for name, *contents in pairs]


def decoded_line(value: str, limit: int) -> str:
    """A header value as one clean line, `=?utf-8?…?=` words decoded."""
    line = clean_line(value, 4 * limit)
    if "=?" in line:
        try:
            line = str(make_header(decode_header(line)))
        except (MessageError, LookupError, ValueError):
            return line[:limit]
    # Again, since an encoded word can hold a line break.
    return clean_line(line, limit)


def sender(value: str) -> tuple[str | None, str | None]:
    """Name and address of "Name <a@b.c>"; None for what is missing or malformed."""
    line = clean_line(value, 1_000)
    try:
        name, address = parseaddr(line)
    except (RecursionError, IndexError, ValueError, AttributeError):
        return None, None
    return decoded_line(name, 200) or None, checked_address(address)


def checked_address(value: str) -> str | None:
    """An address found in a payload, stripped; None when it does not look like one."""
    address = clean_address(value)
    return address if address and _ADDRESS.fullmatch(address) else None


def message_ids(value: str) -> tuple[str, ...]:
    """The message ids of a header value, at most 20: the thread's first and its last ones."""
    line = clean_line(value, _MAX_VALUE_CHARS)
    ids = _MESSAGE_ID.findall(line)
    if not ids:
        # Some providers strip the brackets; a header needs them.
        ids = [f"<{word}>" for word in re.split(r"[\s,<>]+", line) if 0 < len(word) <= 250]
    unique = list(dict.fromkeys(ids))
    return tuple(unique[:1] + unique[1:][1 - _MAX_REFERENCES :])


def may_reply(headers: Mapping[str, str], senders: Iterable[str | None], subject: str) -> bool:
    """False for auto-replies, lists, bounces and robots: answering them loops or helps nobody.

    RFC 3834, section 2, with the headers that programs set before it and beside it.
    """
    submitted = headers.get("auto-submitted", "").partition(";")[0].strip().lower()
    suppress = headers.get("x-auto-response-suppress", "").strip().lower()
    precedence = headers.get("precedence", "").strip().lower()
    refused = (
        submitted not in {"", "no"},
        suppress not in {"", "none"},
        precedence in {"bulk", "list", "junk", "auto_reply", "auto-reply"},
        # RFC 2369 and 2919: List-Id, List-Post, List-Help and so on.
        any(name.startswith("list-") for name in headers),
        bool({"x-failed-recipients", "x-autoreply", "x-autorespond"} & headers.keys()),
        headers.get("return-path", "<x>").replace(" ", "") in {"", "<>"},
        headers.get("content-type", "").lower().startswith("multipart/report"),
        any(_ROBOT.match(address) for address in senders if address),
        _AUTO_SUBJECT.match(subject) is not None,
    )
    return not any(refused)

"""Mail headers in a payload: their values, the mailboxes and the message ids in them."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from email.errors import MessageError
from email.header import decode_header, make_header
from email.utils import getaddresses
from itertools import islice
from typing import Final

from pydantic import JsonValue

from domain.core.effort import spend
from domain.core.plain_text import clean_address, clean_line, without_controls
from domain.intake.payload_view import PayloadView, scalar_text

_MAX_HEADERS: Final = 300
_MAX_VALUE_CHARS: Final = 8_000
_MAX_BLOCK_CHARS: Final = 100_000
_MAX_BLOCK_LINES: Final = 2_000
_MAX_REFERENCES: Final = 20
_MAX_BOXES: Final = 20
_HEADER_PATHS: Final = ("headers", "message_headers", "message.headers")
_MESSAGE_ID: Final = re.compile(r"<[^<>\s]{1,250}>")
_ADDRESS: Final = re.compile(r"[^\s@<>,;\"]{1,64}@[^\s@<>,;\"]{1,255}")

# The names under which senders of payloads also put these headers at the top level.
_TOP_LEVEL: Final = (
    "auto-submitted", "precedence", "x-auto-response-suppress", "list-id", "list-unsubscribe",
    "list-post", "return-path", "sender", "content-type", "in-reply-to", "references", "message-id",
    "x-autoreply", "x-autorespond", "x-failed-recipients",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mailbox:
    """A name and an address, of which either may be missing."""

    name: str | None = None
    address: str | None = None


class MailHeaders:
    """Headers from `headers` in any usual shape and from top-level keys, taken apart once.

    `headers` may be an object, a list of {name, value} or of pairs, or the raw header block. Never
    raises.
    """

    def __init__(self, view: PayloadView) -> None:
        self.view = view
        self._pairs = tuple(tuple(_pairs(view.get(path))) for path in _HEADER_PATHS)

    def first(self) -> dict[str, str]:
        """Header name, lower case, to its first value, without line breaks."""
        found: dict[str, str] = {}
        for pairs in self._pairs:
            for name, value in pairs:
                joined = _joined(value) if name not in found else None
                if joined is not None:
                    found[name] = clean_line(joined, _MAX_VALUE_CHARS)
        for name in _TOP_LEVEL:
            given = _joined(self.view.get(name)) if name not in found else None
            if given is not None:
                found[name] = clean_line(given, _MAX_VALUE_CHARS)
        return found

    def values(self, name: str) -> tuple[str, ...]:
        """Every value of the headers of that name, lower case, the topmost first. A value that is
        too long to be read whole is empty."""
        for pairs in self._pairs:
            if found := [text for key, value in pairs if key == name for text in _whole(value)]:
                return tuple(found)
        return tuple(_whole(self.view.get(name)))


def header_pairs(value: JsonValue | None) -> tuple[tuple[str, str], ...]:
    """Names, lower case, and values of headers in any usual shape, in their order: at most 300."""
    given = ((name, _joined(inner)) for name, inner in _pairs(value))
    return tuple((name, text) for name, text in given if text is not None)


def _pairs(value: JsonValue | None) -> Iterator[tuple[str, JsonValue]]:
    """Names, lower case, and values, in the order in which they were sent."""
    if isinstance(value, str):
        value = _decoded_block(value)
    items: Iterable[tuple[str, JsonValue] | None] = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = map(_pair, value)
    for pair in islice(filter(None, items), _MAX_HEADERS):
        yield clean_line(pair[0], 200).lower(), pair[1]


def _pair(item: JsonValue) -> tuple[str, JsonValue] | None:
    if isinstance(item, dict):
        named = PayloadView(item)
        name, content = named.get("name") or named.get("key"), named.get("value")
    elif isinstance(item, list) and len(item) == 2:
        name, content = item
    else:
        return None
    return (name, content) if isinstance(name, str) else None


def _whole(value: JsonValue | None) -> list[str]:
    given = value[:_MAX_HEADERS] if isinstance(value, list) else [value]
    texts = [text for item in given if (text := scalar_text(item)) is not None]
    return [clean_line(text, len(text)) if len(text) <= _MAX_VALUE_CHARS else "" for text in texts]


def _joined(value: JsonValue | None) -> str | None:
    if isinstance(value, list):
        return " ".join(text for item in value[:200] if (text := scalar_text(item)) is not None)
    return scalar_text(value)


def _decoded_block(block: str) -> JsonValue:
    """A raw header block as pairs, or what its JSON says (Mailgun's message-headers)."""
    block = block[:_MAX_BLOCK_CHARS]
    spend(len(block))
    if block.lstrip()[:1] in {"[", "{"}:
        try:
            decoded: JsonValue = json.loads(block)
        except (ValueError, RecursionError):
            return None
        return decoded if isinstance(decoded, list | dict) else None
    pairs: list[list[str]] = []
    # Only what ends a line in a mail: a subject with another break must not become two headers.
    for raw in re.split(r"\r\n|\r|\n", block.strip("\r\n"), maxsplit=_MAX_BLOCK_LINES)[
        :_MAX_BLOCK_LINES
    ]:
        line = without_controls(raw)
        if not line:
            break
        if line[:1] in {" ", "\t"} and pairs:
            pairs[-1].append(line.strip())
        elif ":" in line:
            name, _, content = line.partition(":")
            pairs.append([name.strip(), content.strip()])
    return [[name, " ".join(contents)] for name, *contents in pairs]


def message_id_of(view: PayloadView) -> str | None:
    """The Message-ID of a mail, in its headers or beside them."""
    ids = message_ids(MailHeaders(view).first().get("message-id", "")) or message_ids(
        view.line(("message_id",), 1_000) or ""
    )
    return ids[0] if ids else None


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


def mailbox(value: str) -> Mailbox:
    """What "Name <a@b.c>" says; None for what is missing or malformed."""
    return next(iter(_parsed(value)), Mailbox())


def mailboxes(value: JsonValue | None) -> tuple[Mailbox, ...]:
    """Those of a header value, or of an object or a list as providers write them: at most 20."""
    if isinstance(value, list):
        return tuple(box for item in value[:_MAX_BOXES] for box in _of_item(item))[:_MAX_BOXES]
    return _of_item(value)


def _of_item(value: JsonValue | None) -> tuple[Mailbox, ...]:
    if isinstance(value, dict):
        view = PayloadView(value)
        address = checked_address(view.raw(("email", "address", "mailbox")) or "")
        return (Mailbox(view.line(("name",), 200), address),) if address else ()
    return _parsed(scalar_text(value) or "")


def _parsed(value: str) -> tuple[Mailbox, ...]:
    try:
        pairs = getaddresses([clean_line(value, 1_000)])[:_MAX_BOXES]
    except (RecursionError, IndexError, ValueError, AttributeError):
        return ()
    return tuple(
        Mailbox(decoded_line(name, 200) or None, checked_address(address))
        for name, address in pairs
    )


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

"""Mail headers in a payload: their values, mailboxes and message ids."""

import json
import re
from dataclasses import dataclass
from email.errors import MessageError
from email.header import decode_header, make_header
from email.utils import getaddresses
from itertools import islice
from typing import Final

from pydantic import JsonValue

from domain.core.effort import spend
from domain.core.plain_text import clean_address, clean_line, without_controls
from domain.intake.payload_view import PayloadView, folded, scalar_text

_MAX_HEADERS: Final = 300
_MAX_VALUE_CHARS: Final = 8_000
MAX_BLOCK_CHARS: Final = 100_000
_MAX_BLOCK_LINES: Final = 2_000
_MAX_REFERENCES: Final = 20
_MAX_BOXES: Final = 20
_MAX_BOX_CHARS: Final = 1_000
_HEADER_PATHS: Final = ("headers", "message_headers", "message.headers")
_MESSAGE_ID: Final = re.compile(r"<[^<>\s]{1,250}>")
_ADDRESS: Final = re.compile(r"[^\s@<>,;\"]{1,64}@[^\s@<>,;\"]{1,255}")

# Headers that some providers also put at the top level of the payload.
_TOP_LEVEL: Final = (
    "auto-submitted", "precedence", "x-auto-response-suppress", "list-id", "list-unsubscribe",
    "list-post", "return-path", "sender", "content-type", "in-reply-to", "references", "message-id",
    "x-autoreply", "x-autorespond", "x-failed-recipients",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mailbox:
    """A name and an address. Either may be missing."""

    name: str | None = None
    address: str | None = None


@dataclass(frozen=True, slots=True)
class HeaderList:
    """Header names in lower case with their values, in the order sent. Unless `is_whole` is true,
    headers may be missing or reordered, and must not be used for authentication."""

    pairs: tuple[tuple[str, JsonValue], ...]
    is_whole: bool

    def certain(self, name: str) -> tuple[str, ...]:
        """Return the values of the `name` headers. A value that is not text or is too long becomes
        an empty string."""
        values = [value for key, value in self.pairs if key == name]
        return tuple(text or "" for value in values for text in _texts(value))


class MailHeaders:
    """An email's headers, parsed once from the payload's `headers` and top-level keys.

    `headers` may be an object, a list of {name, value} or of pairs, or the raw header block. Never
    raises.
    """

    def __init__(self, view: PayloadView) -> None:
        self.view = view
        given = map(view.get, _HEADER_PATHS)
        self._lists = tuple(header_list(value) for value in given if value is not None)

    def first(self) -> dict[str, str]:
        """Return the first value of each header, without line breaks, keyed by its lower-case
        name."""
        found: dict[str, str] = {}
        for headers in self._lists:
            for name, value in headers.pairs:
                joined = _joined(value) if name not in found else None
                if joined is not None:
                    found[name] = clean_line(joined, _MAX_VALUE_CHARS)
        for name in _TOP_LEVEL:
            given = _joined(self.view.get(name)) if name not in found else None
            if given is not None:
                found[name] = clean_line(given, _MAX_VALUE_CHARS)
        return found

    def values(self, name: str) -> tuple[str, ...]:
        """Return all values of a header, topmost first, with "" for an overlong value. `name` is in
        lower case."""
        for headers in self._lists:
            values = [value for key, value in headers.pairs if key == name]
            if found := [text for value in values for text in _texts(value) if text is not None]:
                return tuple(found)
        return tuple(text for text in _texts(self.view.get(name)) if text is not None)

    def certain(self, name: str) -> tuple[str, ...] | None:
        """Return the values of a header for authentication, topmost first, or None if they are
        uncertain.

        They are uncertain if some were truncated or malformed, or if two copies in the payload
        differ. A value that is overlong or not text becomes "".
        """
        paths = (*_HEADER_PATHS, name)
        if self.view.doubled.intersection(folded(path.partition(".")[0]) for path in paths):
            return None
        found = {headers.certain(name) for headers in self._lists}
        if len(found) > 1 or not all(headers.is_whole for headers in self._lists):
            return None
        return next(iter(found), ())

    def certain_anywhere(self, name: str) -> tuple[str, ...] | None:
        """Return the values as `certain` does, or the payload's top-level values if it has no
        header list.

        Return None if the values are uncertain, or if a top-level value is missing from the header
        list.
        """
        listed, value = self.certain(name), self.view.get(name)
        beside = () if value is None else tuple(text or "" for text in _texts(value))
        if listed is None or not self._lists:
            return None if listed is None else beside
        return listed if set(beside) <= set(listed) else None


def header_list(value: JsonValue) -> HeaderList:
    """Parse headers in any common format. Reads at most _MAX_HEADERS headers."""
    is_whole = True
    if isinstance(value, str):
        value, is_whole = _decoded_block(value)
    if isinstance(value, dict):
        items: list[tuple[str, JsonValue] | None] = list(islice(value.items(), _MAX_HEADERS))
    elif isinstance(value, list):
        items = [header_pair(item) for item in value[:_MAX_HEADERS]]
    else:
        return HeaderList((), is_whole=False)
    pairs = tuple((clean_line(one[0], 200).lower(), one[1]) for one in items if one is not None)
    # An object's keys are unordered. If a name occurs in several spellings, it is unknown which of
    # its values is the topmost.
    has_order = isinstance(value, list) or len(dict(pairs)) == len(pairs)
    are_short = all(len(inner) <= _MAX_HEADERS for _, inner in pairs if isinstance(inner, list))
    return HeaderList(pairs, is_whole and has_order and are_short and len(pairs) == len(value))


def header_pairs(value: JsonValue) -> tuple[tuple[tuple[str, str], ...], bool]:
    """Return the values of at most _MAX_HEADERS headers, each with the header's lower-case name,
    and True if these are all the headers that were sent."""
    headers = header_list(value)
    given = ((name, _joined(inner)) for name, inner in headers.pairs)
    are_texts = all(isinstance(inner, str) for _, inner in headers.pairs)
    pairs = tuple((name, text) for name, text in given if text is not None)
    return pairs, headers.is_whole and are_texts


def header_pair(item: JsonValue) -> tuple[str, JsonValue] | None:
    """Return the name and value of a list item, or None if the item is not a header."""
    if isinstance(item, dict):
        named = PayloadView(item)
        name, content = named.get("name") or named.get("key"), named.get("value")
        if named.doubled:
            return None
    elif isinstance(item, list) and len(item) == 2:
        name, content = item
    else:
        return None
    return (name, content) if isinstance(name, str) else None


def _texts(value: JsonValue) -> list[str | None]:
    """Return the values of a header: None for a value that is not text, "" for an overlong one."""
    given = value[:_MAX_HEADERS] if isinstance(value, list) and value else [value]
    return [None if text is None else _readable(text) for text in map(scalar_text, given)]


def _readable(text: str) -> str:
    return clean_line(text, len(text)) if len(text) <= _MAX_VALUE_CHARS else ""


def _joined(value: JsonValue | None) -> str | None:
    if isinstance(value, list):
        return " ".join(text for item in value[:200] if (text := scalar_text(item)) is not None)
    return scalar_text(value)


def decoded_json(text: str) -> JsonValue:
    """Decode a JSON text, with an object with repeated keys as a list of pairs. Raises ValueError,
    RecursionError."""
    decoded: JsonValue = json.loads(text, object_pairs_hook=_object)
    return decoded


def _object(pairs: list[tuple[str, JsonValue]]) -> JsonValue:
    made = dict(pairs)
    return made if len(made) == len(pairs) else [list(pair) for pair in pairs]


def _decoded_block(block: str) -> tuple[JsonValue, bool]:
    """Parse a raw header block, or its JSON form (Mailgun's message-headers). Return the headers,
    and True if the whole block was read."""
    is_whole = len(block) <= MAX_BLOCK_CHARS
    block = block[:MAX_BLOCK_CHARS]
    spend(len(block))
    if block.lstrip()[:1] in {"[", "{"}:
        try:
            return decoded_json(block), is_whole
        except (ValueError, RecursionError):
            return None, False
    pairs: list[list[str]] = []
    # Split only at the line ends used in mail because a subject that contains another kind of line
    # break must not become two headers.
    lines = re.split(r"\r\n|\r|\n", block.strip("\r\n"), maxsplit=_MAX_BLOCK_LINES)
    for line in map(without_controls, lines[:_MAX_BLOCK_LINES]):
        if not line:
            # The text after an empty line may be headers or a body: mail servers disagree. The
            # block is therefore reported as incomplete.
            return _unfolded(pairs), False
        if line[:1] in {" ", "\t"} and pairs:
            pairs[-1].append(line.strip())
        elif ":" in line:
            name, _, content = line.partition(":")
            pairs.append([name.strip(), content.strip()])
        else:
            is_whole = False
    return _unfolded(pairs), is_whole and len(lines) <= _MAX_BLOCK_LINES


def _unfolded(pairs: list[list[str]]) -> JsonValue:
    return [[name, " ".join(contents)] for name, *contents in pairs]


def message_id_of(view: PayloadView) -> str | None:
    """Return the Message-ID of an email, from its headers or the payload's top level, or None."""
    ids = message_ids(MailHeaders(view).first().get("message-id", "")) or message_ids(
        view.line(("message_id",), 1_000) or ""
    )
    return ids[0] if ids else None


def decoded_line(value: str, limit: int) -> str:
    """Return a header value as one clean line, with `=?utf-8?…?=` words decoded."""
    line = clean_line(value, 4 * limit)
    if "=?" in line:
        try:
            line = str(make_header(decode_header(line)))
        except (MessageError, LookupError, ValueError):
            return line[:limit]
    # Clean the text a second time because an encoded word can contain a line break.
    return clean_line(line, limit)


def mailbox(value: str) -> Mailbox:
    """Return the first mailbox in a text such as "Name <a@b.c>". A missing or malformed part is
    None."""
    return next(iter(_parsed(value)), Mailbox())


def mailboxes(value: JsonValue | None) -> tuple[Mailbox, ...]:
    """Return at most _MAX_BOXES mailboxes from a header value or a provider's object or list."""
    if isinstance(value, list):
        return tuple(box for item in value[:_MAX_BOXES] for box in _of_item(item))[:_MAX_BOXES]
    return _of_item(value)


def only_mailbox(value: JsonValue | None) -> Mailbox | None:
    """Return the mailbox in a From header for authentication. Return None unless the header was
    read completely and contains exactly one mailbox."""
    text = scalar_text(value)
    boxes = mailboxes(value)
    is_read = len(boxes) == 1 and (text is None or len(text) <= _MAX_BOX_CHARS)
    return boxes[0] if is_read else None


def _of_item(value: JsonValue | None) -> tuple[Mailbox, ...]:
    if isinstance(value, dict):
        view = PayloadView(value)
        address = checked_address(view.raw(("email", "address", "mailbox")) or "")
        return (Mailbox(view.line(("name",), 200), address),) if address else ()
    return _parsed(scalar_text(value) or "")


def _parsed(value: str) -> tuple[Mailbox, ...]:
    try:
        pairs = getaddresses([clean_line(value, _MAX_BOX_CHARS)])[:_MAX_BOXES]
    except (RecursionError, IndexError, ValueError, AttributeError):
        return ()
    return tuple(
        Mailbox(decoded_line(name, 200) or None, checked_address(address))
        for name, address in pairs
    )


def checked_address(value: str) -> str | None:
    """Return an address from a payload, stripped, or None if it does not look like an address."""
    address = clean_address(value)
    return address if address and _ADDRESS.fullmatch(address) else None


def message_ids(value: str) -> tuple[str, ...]:
    """Return at most _MAX_REFERENCES message ids from a header value: the thread's first id and the
    latest ids."""
    line = clean_line(value, _MAX_VALUE_CHARS)
    ids = _MESSAGE_ID.findall(line)
    if not ids:
        # Some providers strip the angle brackets, which a Message-ID requires.
        ids = [f"<{word}>" for word in re.split(r"[\s,<>]+", line) if 0 < len(word) <= 250]
    unique = list(dict.fromkeys(ids))
    return tuple(unique[:1] + unique[1:][1 - _MAX_REFERENCES :])

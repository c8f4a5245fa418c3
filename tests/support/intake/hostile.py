"""Hostile events: patterns of text, HTML and headers that are expensive for a careless parser.

Each creates an event of about the requested size. `full` is the gateway's maximum: 500,000
characters of HTML, 100,000 of a message, or a body of 1 MiB.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from pydantic import JsonValue

from domain.intake.event import InboundEvent

EVENT_TYPE: Final = "email.inbound"
_HTML_CHARS: Final = 500_000
_TEXT_CHARS: Final = 100_000
_BODY_BYTES: Final = 1_000_000
_MAX_VALUES: Final = 9_900

Fields = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Shape:
    """A pattern of hostile events. `make`: returns an event's fields with this many characters,
    apart from `event_type` and `client_id`."""

    full: int
    make: Callable[[int], Fields]

    def event(self, part: float = 1.0) -> InboundEvent:
        """Return the event at a fraction of its full size, as the gateway passes it on."""
        fields = self.make(int(self.full * part))
        message = fields.pop("message", None)
        return InboundEvent(
            event_type=EVENT_TYPE,
            message=message if isinstance(message, str) else None,
            payload=fields,
        )


def _mail(field: str, content: JsonValue) -> Fields:
    return {"from": "Eve <eve@hostile.example>", "subject": "Hello", field: content}


def _fitting(unit: str, chars: int) -> int:
    """Return the number of characters that fit into a body, at most `chars`. Some characters take
    six bytes."""
    in_body = len(json.dumps(unit, ensure_ascii=False).encode()) - 2
    return min(chars, _BODY_BYTES * len(unit) // in_body)


def _repeated(field: str, unit: str, full: int, before: str = "", after: str = "") -> Shape:
    """Return `before`, then the repeated unit, then `after`."""

    def make(size: int) -> Fields:
        times = max(1, (size - len(before) - len(after)) // len(unit))
        return _mail(field, before + unit * times + after)

    return Shape(_fitting(unit, full), make)


def _html(unit: str, before: str = "", after: str = "") -> Shape:
    return _repeated("html_body", unit, _HTML_CHARS, before, after)


def _text(unit: str, before: str = "", after: str = "") -> Shape:
    return _repeated("message", unit, _TEXT_CHARS, before, after)


def _nested(opening: str, closing: str, inner: str = "x") -> Shape:
    """Return nested elements, all closed in order."""

    def make(size: int) -> Fields:
        deep = max(1, (size - len(inner)) // len(opening + closing))
        return _mail("html_body", opening * deep + inner + closing * deep)

    return Shape(_HTML_CHARS, make)


def _numbered(field: str, unit: str, full: int, before: str = "", after: str = "") -> Shape:
    """Return distinct units, in which `%d` is replaced by a counter."""

    def make(size: int) -> Fields:
        parts, chars = [before], len(before) + len(after)
        while chars < size - len(unit) - 4:
            parts.append(unit % len(parts))
            chars += len(parts[-1])
        return _mail(field, "".join([*parts, after]))

    return Shape(full, make)


def _rows(field: str, row: Callable[[int], JsonValue], chars: int) -> Shape:
    """Return a list of rows with about this many characters each, up to a body's limit."""
    return Shape(
        min(_BODY_BYTES, _MAX_VALUES // 3 * chars),
        lambda size: _mail(field, [row(number) for number in range(max(1, size // chars))]),
    )


def _header(name: str, unit: str, before: str = "", after: str = "") -> Shape:
    return _repeated(name, unit, _BODY_BYTES, before, after)


def _attributes(size: int) -> Fields:
    pairs = " ".join(f"a{number}={number}" for number in range(max(1, size // 14)))
    return _mail("html_body", f"<p {pairs}>x</p>")


def _keys(size: int) -> Fields:
    return _mail("message", "x") | {f"k{n}": "v" * 90 for n in range(min(_MAX_VALUES, size // 100))}


def _of_the_issue(size: int) -> Fields:
    sheet = "<style>" + ("@" + "b" * 290 + "{") * 168 + "</style>"
    return _mail("html_body", sheet * max(1, size // len(sheet)))


_IN_HTML: Final[Mapping[str, Shape]] = {
    "style of at-rules": Shape(490_700, _of_the_issue),
    "one style of at-rules": _html("@" + "b" * 290 + "{", "<style>", "</style>"),
    "style of @media": _html("@media screen{", "<style>", "</style>"),
    "style of closed @media": _html("@media screen{.a{color:red}}", "<style>", "</style>"),
    "style never closed": _html("a{b:c}", "<style>"),
    "style of comments": _html("/*", "<style>", "</style>"),
    "style of names": _html(".a,", "<style>", "{display:none}</style>"),
    "style of one name": _html("a", "<style>.", "{display:none}</style>"),
    "style of braces": _html("{", "<style>", "</style>"),
    "style of strings": _html("a{b:'", "<style>", "</style>"),
    "many styles": _html("<style>.a{display:none}</style>"),
    "hidden names": _numbered("html_body", ".n%d{display:none}", _HTML_CHARS, "<style>"),
    "div in div": _nested("<div>", "</div>"),
    "div never closed": _html("<div>"),
    "blockquote in blockquote": _nested("<blockquote>", "</blockquote>"),
    "gmail quotes": _nested("<div class=gmail_quote><blockquote>", "</blockquote></div>"),
    "table in table": _nested("<table><tr><td>", "</td></tr></table>"),
    "table cells": _html("<td>x", "<table><tr>", "</table>"),
    "b and i crossed": _html("<b><i>x</b></i>"),
    "a in a": _html("<a href=x><p>"),
    "font in p": _html("<p><font color=red>"),
    "lists in lists": _nested("<ul><li>", "</li></ul>"),
    "paragraphs": _html("<p>x</p>"),
    "line breaks": _html("<br>"),
    "closing tags": _html("</div>"),
    "closing tags of others": _html("</x>", "<div>" * 400),
    "less than signs": _html("<"),
    "less than letters": _html("<a "),
    "comment never closed": _html("<!-- "),
    "comments": _html("<!-- x -->y"),
    "comment of dashes": _html("-", "<!-", "x"),
    "cdata": _html("<![CDATA["),
    "conditional comments": _html("<![if !mso]>x<![endif]>"),
    "instructions": _html("<?xml "),
    "doctypes": _html("<!DOCTYPE html "),
    "script never closed": _html("</scrip", "<script>"),
    "textarea": _html("<textarea>"),
    "plaintext": _html("<plaintext>"),
    "svg and math": _html("<svg><math>"),
    "attributes": Shape(_HTML_CHARS, _attributes),
    "one attribute": _html("a", "<p title='", "'>x</p>"),
    "attribute never closed": _html("a=' ", "<p "),
    "attribute of entities": _html("&amp;", "<p title='", "'>x</p>"),
    "style attributes": _html("<p style='color : red ;font-size:0.0001'>x"),
    "style attribute": _html("left:-", "<p style='", "'>x</p>"),
    "white on nothing": _html("<p style='color:#fff'>x</p>"),
    "classes": _html("a ", "<p class='", "'>x</p>"),
    "entities": _html("&amp;"),
    "entities never ended": _html("&amp"),
    "ampersands": _html("&"),
    "unknown entities": _html("&aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
    "numbers of characters": _html("&#x1;&#00000065;"),
    "digits of one character": _html("0", "&#", ";"),
    "digits and no tags": _html("0", "<" * 20_001 + "&#", ";"),
    "most elements": _html("<p>x</p>" + "x" * 42),
    "most cells": _html("<td>x" + "x" * 20, "<table><tr>"),
    "most breaks": _html("<br>" + "x" * 22),
    "pre of blanks": _html("  \n", "<pre>", "</pre>"),
    "blanks": _html(" x  "),
    "one word": _html("x", "<p>", "</p>"),
    "wide html": _html("é<b>ü</b>"),
    "nul and controls": _html("\x01<\x02p\x03>"),
    "body tags": _html("<body><html><head>"),
    "inline cells": _html("<tr><td><table>"),
}  # fmt: skip

_IN_TEXT: Final[Mapping[str, Shape]] = {
    "quote marks": _text(">"),
    "quote marks in rows": _text("> " * 50 + "\n"),
    "attributions": _text("On Mon, 2 Mar 2026 at 10:02, Eve <e@x.example> wrote:\n"),
    "attributions in French": _text("Le 2 mars 2026 à 10:02, Eve <e@x.example> a écrit :\nx\n"),
    "half attributions": _text("On Mon, 2 Mar 2026 at 10:02,\n"),
    "other attributions": _text("Op ma 2 mrt 2026 om 10:02 schreef Eve e@x.example:\nx\n"),
    "openers": _text("le <a> <b" * 8 + "\n"),
    "one line of openers": _text("Le 2 mars 2026 "),
    "original messages": _text("-----Message d'origine----\n"),
    "forwards": _text("---------- Forwarded message\n"),
    "header blocks": _text("From: Eve\nTo: x\n"),
    "nested forwards": _text("Begin forwarded message:\nFrom: a\nSent: b\n"),
    "signatures": _text("-- \n"),
    "rules": _text("_" * 70 + "\n"),
    "mobile signatures": _text("Envoyé de mon téléphone" + " x" * 20 + "\n"),
    "combining marks": _text("\u0301", "e"),
    "marks in turn": _text("\u0301\u0316\u0345"),
    "zero width": _text("a\u200b\u200d"),
    "right to left": _text("\u202e\u200f\u0623"),
    "expanding letters": _text("\ufdfa"),
    "expanding hangul": _text("\uac01\u1e9b\u0323"),
    "emoji": _text("👩\u200d👩\u200d👧🏽"),
    "flags": _text("🇫🇷"),
    "dashes": _text("-"),
    "words and dashes": _text("a-"),
    "digits": _text("1"),
    "spaced digits": _text("1 "),
    "digits and dots": _text("1.2,3 "),
    "digits and dashes": _text("12-34-"),
    "grouped digits": _text("1234 "),
    "phone rows": _text("+33 6 12 34 56 78 "),
    "one phone": _text("(0) ", "+33 "),
    "dates": _text("2026-03-02 02/03/26 "),
    "half dates": _text("12/"),
    "months": _text("2 mars de "),
    "prices": _text("€ 1 000,00 "),
    "half prices": _text("1 000"),
    "addresses": _text("a@b.example "),
    "half addresses": _text("a@"),
    "one long address": _text("a.", "x@"),
    "URLs": _text("https://x.example/a?b=c "),
    "half URLs": _text("www."),
    "order numbers": _numbered("message", "#%d ", _TEXT_CHARS),
    "order words": _text("commande n° "),
    "orders and numbers": _text("commande n° 1042, "),
    "order of order": _text("order of order "),
    "refunds": _text("refund the my the my "),
    "lists of numbers": _text("1042, ", "commandes "),
    "numbers of letters": _text("AB12CD34"),
    "hashes": _text("#"),
    "hash and number": _text("# 1#"),
    "accounts": _text("FR76 3000 6000 "),
    "parcels": _text("1Z" + "9" * 15 + " "),
    "tracking": _text("tracking number is "),
    "streets": _text("rue x y z "),
    "sizes": _text("10 x "),
    "labels": _text("E-mail :\n"),
    "colons": _text("a:"),
    "commas": _text(","),
    "question marks": _text("?"),
    "quotation marks": _text("«\"' "),
    "brackets": _text("([{"),
    "stars": _text("*_`"),
    "newlines": _text("\n", "x", "x"),
    "many lines": _text("x\n"),
    "carriage returns": _text("\r"),
    "spaces": _text(" ", "x", "x"),
    "odd spaces": _text("\u00a0\u2007\t", "x", "x"),
    "one line": _text("x"),
    "capitals": _text("ABCDEFGHI "),
    "wide text": _text("漢字"),
    "half of HTML": _text("<p " + "a" * 400),
    "tags in text": _text("<div>" + "x" * 20),
    "away": _text("I am away, ", "x\n"),
}  # fmt: skip

_IN_HEADERS: Final[Mapping[str, Shape]] = {
    "encoded words": _header("subject", "=?utf-8?b?w6k=?= "),
    "half encoded words": _header("subject", "=?utf-8?q?"),
    "encoded words of nothing": _header("from", "=?x?q??="),
    "encoded lengths": _header("subject", "=?utf-8?b?A?="),
    "authentication results": _header(
        "Authentication-Results", "dkim=pass header.d=x.example;", "mx.example;"
    ),
    "authentication comments": _header("Authentication-Results", "(", "mx.example;"),
    "references": _numbered("references", "<%d@x.example> ", _BODY_BYTES),
    "half references": _header("references", "<a"),
    "address list": _header("to", "Eve <e@x.example>, "),
    "address comments": _header("from", "("),
    "address quotes": _header("from", '"'),
    "address routes": _header("from", "<@a,"),
    "address groups": _header("cc", "a:b;"),
    "reply to": _header("reply_to", "a\\@b,"),
    "header rows": _rows("headers", lambda n: {"name": f"X-{n}", "value": "v" * 80}, 90),
    "results in rows": _rows(
        "headers",
        lambda n: {"name": "Authentication-Results", "value": f"mx.example; spf=fail ({n})"},
        60,
    ),
    "pairs in rows": _rows("headers", lambda n: ["From", f"e{n}@x.example"], 30),
    "header block": _repeated("headers", "a: b\n", _BODY_BYTES),
    "folded header block": _repeated("headers", "\tb\n", _BODY_BYTES, "a: b\n"),
    "header block of brackets": _repeated("headers", "[", _BODY_BYTES),
    "recipients": _rows("to", lambda n: {"email": f"e{n}@x.example", "name": "x"}, 30),
    "keys": Shape(_BODY_BYTES, _keys),
    "order field": _header("order_number", "# "),
    "name field": _header("customer_name", "a "),
    "fields of blanks": _header("note", " "),
    "wide headers": _header("subject", "é\u0301\u202e"),
}  # fmt: skip

SHAPES: Final[Mapping[str, Shape]] = MappingProxyType({**_IN_HTML, **_IN_TEXT, **_IN_HEADERS})

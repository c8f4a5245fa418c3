"""HTML of a mail to plain text, in bounded time, whatever the sender made of it.

lxml's parser reports its events to a filter, which knows what a mail hides (`mail_hidden.py`) and
quotes, and hands what is left to a layout (`mail_layout.py`). No tree is built: lxml's own costs
8.3 s for one tag with 70,000 attributes and drops everything below 256 levels, and a library that
lays one out as text takes 7 to 27 µs an element (decision 0001).
"""

import re
from html import unescape
from typing import Final, cast

from lxml import etree

from domain.core.effort import spend
from domain.core.plain_text import without_controls
from domain.intake.mail_hidden import MAX_SHEET_CHARS, Looks, hidden_names
from domain.intake.mail_layout import Layout

MAX_HTML_CHARS: Final = 500_000
MAX_DEPTH: Final = 60
# The parser looks through all open elements at each closing tag: 20,000 open ones cost 1.2 s.
MAX_OPEN: Final = 500
_PIECE: Final = 16_384
# Each costs two calls from the parser, built or not: more of them are taken out crudely.
MAX_TAGS: Final = 20_000

# A line of its own in place of a dropped quote: the reply parser then knows that what follows
# is the customer again (an answer below or between quotes), not the rest of the quote.
QUOTE_MARK: Final = ">"

_INVISIBLE_TAGS: Final = frozenset({
    "script", "style", "head", "title", "template", "noscript", "iframe", "object", "svg", "math",
    "select", "button", "textarea", "audio", "video", "canvas",
})  # fmt: skip
_VOID_TAGS: Final = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "wbr",
})  # fmt: skip
_INLINE_TAGS: Final = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font",
    "i", "img", "ins", "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike",
    "strong", "sub", "sup", "time", "tt", "u", "var", "wbr", "td", "th",
})  # fmt: skip
_KEPT_TAGS: Final = frozenset({
    "p", "br", "ul", "ol", "li", "pre", "h1", "h2", "h3", "h4", "h5", "h6",
})  # fmt: skip
_QUOTE_NAMES: Final = frozenset(
    {"yahoo_quoted", "protonmail_quote", "zmail_extra", "ydp_quoted", "tutanota_quote"}
)
_CUT_IDS: Final = frozenset(
    {"divrplyfwdmsg", "appendonsend", "olk_src_body_section", "mail-editor-reference-message"}
)
_SIGNATURE_NAMES: Final = frozenset(
    {"gmail_signature", "moz-signature", "signature", "ms-outlook-mobile-signature"}
)
# Python refuses to read a number of thousands of digits.
_NO_CHARACTER: Final = re.compile(r"&#\d{8,};?")
# What a library may raise on input that its author did not foresee.
_LIBRARY_FAULTS: Final = (
    ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError,
)  # fmt: skip


class _TooDeepError(Exception):
    """The mail has more open elements than MAX_OPEN; it ends the parsing."""


class _MailFilter:
    """An lxml parser target: takes parser events, and lays out what is shown.

    Beyond MAX_DEPTH no element is laid out; the text goes on, so nothing a customer wrote is lost
    to a limit.
    """

    def __init__(self, *, drop_quotes: bool, drop_white: bool) -> None:
        self._drop_quotes = drop_quotes
        self._drop_white = drop_white
        self._layout = Layout()
        self._open: list[str | None] = []  # what end() has to close; None for nothing
        self._text: list[str] = []  # not yet laid out
        self._depth = 0
        self._level = 0
        self._skipped = 0  # open elements inside, and with, a dropped one
        self._in_gmail_quote = 0
        self._cut = False
        self._in_sheet = False
        self._sheet: list[str] = []
        self._sheet_chars = 0  # of all sheets so far
        self._hidden_names: set[str] = set()
        self._looks = Looks()
        # Of the open elements, by level: those with a background, and what colour they write in.
        self._painted: list[int] = []
        self._white: list[tuple[int, bool]] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """One opening tag."""
        self._level += 1
        if self._level > MAX_OPEN:
            raise _TooDeepError
        self._in_sheet = tag == "style"
        if self._cut or self._skipped:
            self._skipped += 1
            return
        if tag in _INVISIBLE_TAGS or (attributes and self._hides(attributes)):
            self._skipped = 1
            return
        if self._drop_quotes and attributes and self._drops(tag, attributes):
            return
        if self._drop_quotes and self._in_gmail_quote:
            self._in_gmail_quote += 1
            if tag == "blockquote":
                self._in_gmail_quote -= 1
                self._skip_quote()
                return
        self._write_start(tag)

    def end(self, _tag: str) -> None:
        """One closing tag, also those that the parser infers."""
        if self._in_sheet:
            self._in_sheet = False
            self._hidden_names |= hidden_names("".join(self._sheet))
            self._sheet.clear()
        if self._painted and self._painted[-1] == self._level:
            self._painted.pop()
        if self._white and self._white[-1][0] == self._level:
            self._white.pop()
        self._level -= 1
        if self._skipped:
            self._skipped -= 1
            return
        if self._in_gmail_quote:
            self._in_gmail_quote -= 1
        if not self._open:
            return
        built = self._open.pop()
        if built == "\n":
            self._text.append("\n")
        elif built is not None:
            self._depth -= 1
            self._close_tag()
            if built == "span":
                self._text.append(" ")

    def data(self, data: str) -> None:
        """Text between tags, in pieces of the parser's choosing."""
        if self._in_sheet and self._sheet_chars < MAX_SHEET_CHARS:
            self._sheet.append(data[: MAX_SHEET_CHARS - self._sheet_chars])
            self._sheet_chars += len(data)
        if not (self._cut or self._skipped or self._is_white()):
            self._text.append(data)

    def close(self) -> None:
        """Nothing: the parser asks for it."""

    def text(self) -> str:
        """What is shown, once the parser is through."""
        while self._open:
            if self._open.pop() not in {None, "\n"}:
                self._close_tag()
        self._flush()
        return self._layout.text()

    def _hides(self, attributes: dict[str, str]) -> bool:
        look = self._looks.of(attributes)
        if look.is_painted:
            self._painted.append(self._level)
        if look.is_white is not None:
            self._white.append((self._level, look.is_white))
        return look.is_hidden or not self._hidden_names.isdisjoint(_names(attributes))

    def _is_white(self) -> bool:
        """Whether text that comes now is white on nothing."""
        return self._drop_white and not self._painted and bool(self._white) and self._white[-1][1]

    def _drops(self, tag: str, attributes: dict[str, str]) -> bool:
        """Whether this element is a quote, a signature or the head of a quoted thread."""
        names = _names(attributes)
        if names & _CUT_IDS:
            self._cut = True
            self._skipped = 1
            return True
        cited = tag == "blockquote" and (
            attributes.get("type", "").lower() == "cite" or "gmail_quote" in names
        )
        if cited or names & _QUOTE_NAMES:
            self._skip_quote()
            return True
        if names & _SIGNATURE_NAMES:
            self._skipped = 1
            return True
        if "gmail_quote" in names and not self._in_gmail_quote:
            # Not dropped whole: a forward is in one too, and so are answers between quotes.
            # Counted here as its own level; start() counts the levels below it.
            self._in_gmail_quote = 1
            self._write_start(tag)
            return True
        return False

    def _skip_quote(self) -> None:
        self._open_tag("p")
        self._text.append(QUOTE_MARK)
        self._close_tag()
        self._skipped = 1

    def _open_tag(self, tag: str) -> None:
        self._flush()
        self._layout.open(tag)

    def _close_tag(self) -> None:
        self._flush()
        self._layout.close()

    def _flush(self) -> None:
        """Text comes in very small pieces (one for each stray "<"), so it is joined first."""
        if self._text:
            # Character references (`&#1;`) can bring back what XML and lxml refuse.
            self._layout.write(without_controls("".join(self._text)))
            self._text.clear()

    def _write_start(self, tag: str) -> None:
        is_cell = tag in {"td", "th"}
        if tag == "br":
            self._open_tag(tag)
            self._open.append(None)
        elif tag in _INLINE_TAGS and not is_cell:
            self._open.append(None)
        elif self._depth >= MAX_DEPTH:
            self._text.append("\n")
            self._open.append(None if tag in _VOID_TAGS else "\n")
        else:
            # A cell's neighbour must not run into it.
            built = "span" if is_cell else tag if tag in _KEPT_TAGS else "div"
            self._depth += 1
            self._open_tag(built)
            self._open.append(built)


def _names(attributes: dict[str, str]) -> set[str]:
    """Classes and id, lower case; Outlook puts `x_` before those of a mail it quotes."""
    words = f"{attributes.get('class', '')} {attributes.get('id', '')}"[:500].lower().split()
    return {word.removeprefix("x_") for word in words}


def html_to_text(html: str, *, drop_quotes: bool) -> str:
    """The visible text of an HTML mail, at most MAX_HTML_CHARS of it read. Never raises.

    White on no background counts as hidden, unless all is white.

    With `drop_quotes` the quoted replies and signatures that mail programs mark as such are left
    out, a line ">" in place of each quote, and all that follows Outlook's reply header is cut.
    """
    source = without_controls(html[:MAX_HTML_CHARS])
    if not source.strip():
        return ""
    if source.count("<") > MAX_TAGS:
        return _without_tags(source)
    shown = _laid_out(source, drop_quotes=drop_quotes, drop_white=True)
    # A dark mail program writes all in white, and leaves the background to the reader's.
    return shown if shown.strip() else _laid_out(source, drop_quotes=drop_quotes, drop_white=False)


def _laid_out(source: str, *, drop_quotes: bool, drop_white: bool) -> str:
    # The stubs want a target for bytes too; with `encoding` given it gets text.
    spend(len(source))
    mail = _MailFilter(drop_quotes=drop_quotes, drop_white=drop_white)
    target = cast("etree.ParserTarget", mail)
    parser = etree.HTMLParser(target=target, encoding="utf-8")
    try:
        # In pieces, because an exception stops the parser only between two of them.
        for begin in range(0, len(source), _PIECE):
            parser.feed(source[begin : begin + _PIECE].encode())
        parser.close()
        return mail.text()
    except (_TooDeepError, etree.LxmlError, *_LIBRARY_FAULTS):
        return _without_tags(source)


def _without_tags(source: str) -> str:
    """The text between tags, for what the parser cannot take: no word of the customer is lost."""
    spend(len(source))
    return unescape(_NO_CHARACTER.sub("", re.sub(r"<[^<>]*>", "\n", source)))

"""Convert the HTML of an email to plain text, in bounded time for any input.

lxml's parser sends events to a filter for quotes and hidden content (`mail_hidden.py`), then to a
layout (`mail_layout.py`). No tree is built: lxml takes 8.3 s for a tag with 70,000 attributes, and
drops content below 256 levels. Libraries that lay out a tree are slower too (decision 0001).
"""

import re
from typing import Final, cast

from lxml import etree

from domain.core.effort import spend
from domain.core.plain_text import without_controls
from domain.core.text import unescaped
from domain.intake.mail_hidden import MAX_SHEET_CHARS, Looks, hidden_names
from domain.intake.mail_layout import Layout

MAX_HTML_CHARS: Final = 500_000
MAX_DEPTH: Final = 60
# Maximum number of open elements. The parser scans all of them at each closing tag, which would
# take 1.2 s with 20,000.
MAX_OPEN: Final = 500
_PIECE: Final = 16_384
# Each tag costs two calls from the parser, whether or not its element is laid out. If an email has
# more tags than this limit, a regular expression removes all of them.
MAX_TAGS: Final = 20_000

# Replaces a dropped quote, on a line of its own. The reply parser then attributes the text after it
# (an answer below or between quotes) to the customer, not to the quote.
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
# Errors that a library may raise on unforeseen input.
_LIBRARY_FAULTS: Final = (
    ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError,
)  # fmt: skip


class _TooDeepError(Exception):
    """The email has more than MAX_OPEN open elements, so parsing is stopped."""


class _MailFilter:
    """An lxml parser target that lays out the visible text.

    Elements nested deeper than MAX_DEPTH are not laid out, but their text is kept, so that no
    customer text is lost.
    """

    def __init__(self, *, drop_quotes: bool, drop_white: bool) -> None:
        self._drop_quotes = drop_quotes
        self._drop_white = drop_white
        self._layout = Layout()
        self._open: list[
            str | None
        ] = []  # For each open element, the element that end() must close, or None.
        self._text: list[str] = []  # The collected text that is not laid out yet.
        self._depth = 0
        self._level = 0
        self._skipped = 0  # The number of open elements in a dropped subtree, including its root.
        self._in_gmail_quote = 0
        self._cut = False
        self._in_sheet = False
        self._sheet: list[str] = []
        self._sheet_chars = 0  # The total number of characters in the style sheets read so far.
        self._hidden_names: set[str] = set()
        self._looks = Looks()
        # The levels of the open elements with a background, and the levels of the open elements
        # that set a text colour. Each level in the second list has a flag that is True if the
        # colour is white.
        self._painted: list[int] = []
        self._white: list[tuple[int, bool]] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Process an opening tag. Raises _TooDeepError if too many elements are open."""
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
        """Process a closing tag. The parser also sends a closing tag for an element that the email
        does not close."""
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
        """Process text between tags, which the parser delivers in pieces."""
        if self._in_sheet and self._sheet_chars < MAX_SHEET_CHARS:
            self._sheet.append(data[: MAX_SHEET_CHARS - self._sheet_chars])
            self._sheet_chars += len(data)
        if not (self._cut or self._skipped or self._is_white()):
            self._text.append(data)

    def close(self) -> None:
        """Do nothing. The parser requires this method."""

    def text(self) -> str:
        """Return the visible text, after parsing has finished."""
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
        """Return True if the current text is white and has no background behind it."""
        return self._drop_white and not self._painted and bool(self._white) and self._white[-1][1]

    def _drops(self, tag: str, attributes: dict[str, str]) -> bool:
        """Handle a quote, a signature or the head of a quoted thread. Return False for any other
        element."""
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
            # Do not drop the whole element, because it can also contain a forwarded message, or
            # answers between quotes. start() counts the levels below.
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
        """Lay out the collected text. Text is collected first because the parser delivers it in
        very small pieces, one for each stray "<"."""
        if self._text:
            # Character references (`&#1;`) can reintroduce characters that XML and lxml reject.
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
            # Separate the text of neighbouring cells.
            built = "span" if is_cell else tag if tag in _KEPT_TAGS else "div"
            self._depth += 1
            self._open_tag(built)
            self._open.append(built)


def _names(attributes: dict[str, str]) -> set[str]:
    """Return the lower-case classes and id of an element, without the `x_` prefix that Outlook adds
    in a quoted mail."""
    words = f"{attributes.get('class', '')} {attributes.get('id', '')}"[:500].lower().split()
    return {word.removeprefix("x_") for word in words}


def html_to_text(html: str, *, drop_quotes: bool) -> str:
    """Return the visible text of an HTML mail, from its first MAX_HTML_CHARS characters. Never
    raises.

    White text without a background is hidden, unless all text is white. If `drop_quotes` is true,
    each quote becomes a line ">", signatures are omitted, and the text is cut at Outlook's reply
    header.
    """
    source = without_controls(html[:MAX_HTML_CHARS])
    if not source.strip():
        return ""
    if source.count("<") > MAX_TAGS:
        return _without_tags(source)
    shown = _laid_out(source, drop_quotes=drop_quotes, drop_white=True)
    # If all text is white, it is not hidden: in dark mode, some email programs write white text and
    # set no background.
    return shown if shown.strip() else _laid_out(source, drop_quotes=drop_quotes, drop_white=False)


def _laid_out(source: str, *, drop_quotes: bool, drop_white: bool) -> str:
    # lxml's type stubs require a target that also accepts bytes. With `encoding` given, the target
    # receives text.
    spend(len(source))
    mail = _MailFilter(drop_quotes=drop_quotes, drop_white=drop_white)
    target = cast("etree.ParserTarget", mail)
    parser = etree.HTMLParser(target=target, encoding="utf-8")
    try:
        # Feed the parser in pieces because an exception stops it only between two pieces.
        for begin in range(0, len(source), _PIECE):
            parser.feed(source[begin : begin + _PIECE].encode())
        parser.close()
        return mail.text()
    except (_TooDeepError, etree.LxmlError, *_LIBRARY_FAULTS):
        return _without_tags(source)


def _without_tags(source: str) -> str:
    """Return the text between the tags of an email that the parser cannot handle, so that no
    customer text is lost."""
    spend(len(source))
    return unescaped(re.sub(r"<[^<>]*>", "\n", source))

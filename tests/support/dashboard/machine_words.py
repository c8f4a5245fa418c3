"""Identifiers of the machine in a page's visible text: ULIDs, event types and variables. Dates that
are not in French form."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

_ULID = re.compile(r"\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b")
# An event type or a pattern, such as `shopify.ticket.created` or `email.*`. Parts of addresses and
# of host names are excluded.
_EVENT = re.compile(r"(?<![\w.@/+:-])[a-z][a-z_]*(?:\.[a-z_]+)*\.(?:\*|[a-z_]+)(?![\w@./+-])")
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
_CODE = re.compile(r"(?<![\w{.])[a-z]+(?:_[a-z]+)+\b(?! *[|}])")
_MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_FOREIGN_DATE = re.compile(
    r"\b\d{4}-\d{2}(?:-\d{2})?\b|\b20\d\d, \d\d:\d\d\b"
    rf"|\b\d{{1,2}} (?:{_MONTHS})[a-z]* \d{{4}}\b|\b(?:{_MONTHS})[a-z]* \d{{1,2}}, \d{{4}}"
)
_ALL = (_ULID, _EVENT, _VARIABLE, _CODE)

_SHOWN = ("title", "aria-label", "placeholder", "alt", "label")
_VOID = {"br", "hr", "img", "input", "link", "meta", "source", "wbr"}
_UNSEEN = {"script", "style", "svg"}
_VERBATIM = {"code", "pre", "textarea"}


class _Text(HTMLParser):
    def __init__(self, *, verbatim: bool) -> None:
        super().__init__(convert_charrefs=True)
        self._left_out = _UNSEEN if verbatim else _UNSEEN | _VERBATIM
        self._open: list[str] = []
        self._is_after_wbr = False
        self.parts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _VOID:
            self._open.append(tag)
        # A word goes on after a place where its line may break.
        self._is_after_wbr = tag == "wbr" and bool(self.parts)
        given = {name: value or "" for name, value in attrs}
        self.parts += [given[name] for name in _SHOWN if name in given]
        if tag == "input" and given.get("type", "text") == "text":
            self.parts.append(given.get("value", ""))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._left_out & {*self._open}:
            return
        if self._is_after_wbr:
            data = self.parts.pop() + data
        self.parts.append(data)
        self._is_after_wbr = False


def foreign_dates(page: str) -> Iterator[str]:
    """Yield the dates on a French page that are not in French form, outside of code."""
    for part in _parts(page, verbatim=False):
        if found := _FOREIGN_DATE.search(part):
            yield f"{found[0]} in {' '.join(part.split())[:80]!r}"


def _parts(page: str, *, verbatim: bool) -> list[str]:
    text = _Text(verbatim=verbatim)
    text.feed(page)
    return text.parts


def machine_words(page: str, *, verbatim: bool) -> Iterator[str]:
    """Yield the identifiers in a page's text, and in the attributes that are shown. `verbatim`:
    whether to examine code blocks, too."""
    for part in _parts(page, verbatim=verbatim):
        for pattern in _ALL:
            for found in pattern.findall(part):
                yield f"{found} in {' '.join(part.split())[:80]!r}"

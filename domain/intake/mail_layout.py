"""Lay out HTML blocks, lists and line breaks as lines of plain text, in one pass."""

from dataclasses import dataclass
from typing import Final

_APART: Final = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6"})
_INLINE: Final = frozenset({"body", "span"})
_LISTS: Final = frozenset({"ul", "ol"})
_BULLETS: Final = ("* ", "+ ", "o ", "- ")
_INDENT: Final = 4


@dataclass(slots=True)
class _Block:
    """An open block element. `indent` is in columns. `bullet` is a list item's bullet until it is
    written."""

    indent: int
    bullet: str


class Layout:
    """Lay out elements and text as they arrive. The cost of an element grows with its depth.

    The elements are "p", "h1" to "h6", "div", "pre", "ul", "ol", "li", "br" and, for all inline
    elements, "span".
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._words: list[str] = []  # The parts of the current line.
        self._after_blank = True
        self._is_apart = True  # True at the start and after an empty line.
        self._tags: list[str] = ["body"]
        self._blocks: list[_Block] = []
        self._indent = 0
        self._is_indented = False
        self._counters: list[str | int] = []

    def open(self, tag: str) -> None:
        """Open an element. A "br" must not be closed."""
        if tag == "br":
            if not self._end_line():
                self._new_line("")
            return
        parent = self._tags[-1]
        self._tags.append(tag)
        if tag in _INLINE:
            return
        bullet = self._next_bullet() if tag == "li" else ""
        if tag in _LISTS:
            self._counters.append(
                1 if tag == "ol" else _BULLETS[len(self._counters) % len(_BULLETS)]
            )
        if not self._end_line() and bullet:
            self._write_bullet()
        indent = _INDENT if tag in _LISTS else 0
        self._blocks.append(_Block(indent, bullet))
        self._indent += indent
        if tag in _APART or parent in _APART:
            self._set_apart()

    def close(self) -> None:
        """Close the open element that was opened last."""
        tag = self._tags.pop()
        if tag in _INLINE:
            return
        if tag in _LISTS:
            self._counters.pop()
        if not self._end_line() and tag == "li":
            self._write_bullet()
        self._indent -= self._blocks.pop().indent
        if tag in _APART:
            self._set_apart()

    def write(self, text: str) -> None:
        """Write text into the element that was opened last. Whitespace is collapsed, except in a
        "pre"."""
        if not text:
            return
        if self._tags[-1] == "pre":
            self._words += (self._first(), text.replace("\n", "\n" + " " * self._indent))
            self._after_blank = False
            return
        words = " ".join(text.split())
        if not words:
            if not self._after_blank:
                self._words.append(" ")
                self._after_blank = True
            return
        if not self._words:
            self._words.append(self._first())
        if text[0].isspace() and not self._after_blank:
            self._words.append(" ")
        self._words.append(words)
        self._after_blank = text[-1].isspace()
        if self._after_blank:
            self._words.append(" ")

    def text(self) -> str:
        """Return the text of all elements, as lines. Call this method only once."""
        self._end_line()
        return "\n".join(self._lines)

    def _end_line(self) -> bool:
        """End the current line. Return False if the line was empty."""
        line = "".join(self._words)
        if self._after_blank:
            line = line.removesuffix(" ")
        if not line:
            return False
        self._new_line(line)
        self._is_apart = False
        return True

    def _new_line(self, line: str) -> None:
        self._lines.append(line)
        self._words.clear()
        self._after_blank = True
        self._is_indented = False

    def _set_apart(self) -> None:
        if not self._is_apart:
            self._lines.append("")
            self._is_apart = True

    def _first(self) -> str:
        """Return the indentation and bullet for the start of a line, or an empty string if the line
        already has them."""
        if self._is_indented:
            return ""
        self._is_indented = True
        bullet = self._take_bullet()
        return bullet.rjust(self._indent)

    def _write_bullet(self) -> None:
        """Write the bullet of a list item without text."""
        if self._is_indented:
            return
        if bullet := self._take_bullet():
            self._new_line(bullet.rjust(self._indent - self._blocks[-1].indent))
            self._is_apart = False

    def _take_bullet(self) -> str:
        for block in reversed(self._blocks):
            if block.bullet:
                bullet, block.bullet = block.bullet, ""
                return bullet
        return ""

    def _next_bullet(self) -> str:
        if not self._counters:
            return _BULLETS[0]
        bullet = self._counters[-1]
        if isinstance(bullet, str):
            return bullet
        self._counters[-1] = bullet + 1
        return f"{bullet}. "

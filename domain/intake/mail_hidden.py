"""Detect content that an HTML mail hides from its reader but that a model would still read.

Content can be hidden by style, attribute, class, size or position, or as white text without a
background.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from domain.core.effort import spend

MAX_STYLE_CHARS: Final = 2_000
_ATTRIBUTES: Final = ("style", "color", "bgcolor", "background", "size", "hidden")
MAX_SHEET_CHARS: Final = 50_000

_NUMBER_END: Final = r"(?:[a-z]{2,3}|%)?(?:;|!|$)"
_HIDDEN: Final = re.compile(
    r"display:none|visibility:(?:hidden|collapse)|mso-hide:all|(?:^|;)color:transparent"
    rf"|(?:font-size|max-height|opacity):(?:0(?:\.0\d{{0,4}})?|\.0\d{{0,4}}){_NUMBER_END}"
    r"|font-size:(?:0?\.\d{1,4}|1)(?:px|pt)(?:;|!|$)|text-indent:-\d{3,}"
    r"|(?:^|;)(?:left|top|right|bottom|margin-left|margin-top):-\d{3,}"
    r"|clip:rect\((?:0|1px)|clip-path:inset\((?:50|100)%|transform:scale\(0"
)
_NO_HEIGHT: Final = re.compile(rf"(?:^|;)(?:height|width):0{_NUMBER_END}")
_WHITE: Final = r"(?:#f{3}(?:f{3})?|white|rgba?\(255,255,255(?:,1)?\))"
_COLOUR: Final = re.compile(r"(?:^|;)color:([^;!]+)")
_BACKGROUND: Final = re.compile(r"(?:^|;)background(?:-color|-image)?:([^;]+)")
_NO_PAINT: Final = re.compile(rf"(?:{_WHITE}|none|transparent|inherit|initial|unset)(?:!|$)")
_BRACE: Final = re.compile(r"([{}])")
_MAX_SELECTOR: Final = 500
_NAME: Final = re.compile(r"[\w-]{1,100}")


@dataclass(frozen=True, slots=True)
class Look:
    """The visibility of an HTML element. `is_white` is the text's color, or None if not set.
    `is_painted` means a background on which white text is readable."""

    is_hidden: bool = False
    is_white: bool | None = None
    is_painted: bool = False


_PLAIN: Final = Look()


class Looks:
    """A cache of `Look` objects for one email. Most elements of an email have the same
    attributes."""

    def __init__(self) -> None:
        self._known: dict[tuple[str | None, ...], Look] = {}

    def of(self, attributes: dict[str, str]) -> Look:
        """Return the visibility of an element with these attributes."""
        said = tuple(map(attributes.get, _ATTRIBUTES))
        if not any(said) and "hidden" not in attributes:
            return _PLAIN
        look = self._known.get(said)
        if look is None:
            look = self._known[said] = _look(attributes)
        return look


def _look(attributes: dict[str, str]) -> Look:
    style = attributes.get("style", "")[:MAX_STYLE_CHARS]
    spend(len(style))
    style = "".join(style.lower().split())
    is_hidden = (
        "hidden" in attributes
        or attributes.get("size") == "0"
        or _HIDDEN.search(style) is not None
        or ("overflow:hidden" in style and _NO_HEIGHT.search(style) is not None)
    )
    styled = _COLOUR.search(style)
    colour = styled[1] if styled else attributes.get("color", "").strip().lower()
    return Look(
        is_hidden=is_hidden,
        is_white=re.fullmatch(_WHITE, colour) is not None if colour else None,
        is_painted=_is_painted(attributes, style),
    )


def _is_painted(attributes: dict[str, str], style: str) -> bool:
    said = attributes.get("bgcolor", "").strip().lower()
    if attributes.get("background") or (said and not _NO_PAINT.match(said)):
        return True
    found = _BACKGROUND.search(style)
    return found is not None and _NO_PAINT.match(found[1]) is None


def hidden_names(sheet: str) -> frozenset[str]:
    """Return the lower-case classes and ids that a style sheet hides on every screen, in one pass.

    Rules inside @media are ignored because they may not apply to every screen.
    """
    spend(len(sheet))
    names: set[str] = set()
    depth = 0
    at_rule = 0  # The depth of the outermost open at-rule, starting at 1, or 0 if none is open.
    selector = ""
    pieces = _BRACE.split(_without_comments(sheet.lower()))
    for before, brace in zip(pieces[::2], pieces[1::2], strict=False):
        if brace == "{":
            depth += 1
            selector = before.rpartition(";")[2][-_MAX_SELECTOR:]
            if not at_rule and "@" in selector:
                at_rule = depth
        elif depth:
            shown = "".join(before[:MAX_STYLE_CHARS].split())
            if selector and not at_rule and _HIDDEN.search(shown):
                names.update(_last_names(selector))
            if depth == at_rule:
                at_rule = 0
            depth -= 1
            selector = ""
    return frozenset(names)


def _without_comments(sheet: str) -> str:
    """Return a style sheet without its comments. An unclosed comment extends to the end."""
    first, *rest = sheet.split("/*")
    return first + "".join(piece.partition("*/")[2] for piece in rest)


def _last_names(selectors: str) -> Iterator[str]:
    """Yield the class or id at the end of each selector, which identifies the styled element."""
    for selector in selectors.split(","):
        _, mark, name = selector.strip().replace("#", ".").rpartition(".")
        if mark and _NAME.fullmatch(name):
            yield name

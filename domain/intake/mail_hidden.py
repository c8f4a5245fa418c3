"""What an HTML mail hides from who reads it: a model would read it all the same.

By style, attribute, class, size, place, or as white on nothing.
"""

import re
from typing import Final

MAX_STYLE_CHARS: Final = 2_000
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
_MEDIA: Final = re.compile(
    r"@[a-z-]+[^{};]{0,300}\{(?:[^{}]{0,5000}\{[^{}]{0,5000}\}){0,200}[^{}]{0,500}\}"
)
_RULE: Final = re.compile(r"([^{}]{1,500})\{([^{}]{1,2000})\}")
_NAME: Final = re.compile(r"[.#]([\w-]{1,100})(?=\s*(?:,|$))")


def is_hidden(attributes: dict[str, str]) -> bool:
    """Whether an element says of itself that it is not shown."""
    if "hidden" in attributes or attributes.get("size") == "0":
        return True
    style = _style(attributes)
    if _HIDDEN.search(style):
        return True
    return "overflow:hidden" in style and _NO_HEIGHT.search(style) is not None


def is_white(attributes: dict[str, str]) -> bool | None:
    """Whether an element's text is white; None if it says nothing of the colour."""
    styled = _COLOUR.search(_style(attributes))
    said = styled[1] if styled else attributes.get("color", "").strip().lower()
    return re.fullmatch(_WHITE, said) is not None if said else None


def is_painted(attributes: dict[str, str]) -> bool:
    """Whether an element has a background on which white can be read."""
    said = attributes.get("bgcolor", "").strip().lower()
    if attributes.get("background") or (said and not _NO_PAINT.match(said)):
        return True
    found = _BACKGROUND.search(_style(attributes))
    return found is not None and _NO_PAINT.match(found[1]) is None


def hidden_names(sheet: str) -> frozenset[str]:
    """Classes and ids that a style sheet hides on every screen; lower case.

    What is hidden inside @media is shown on some screen.
    """
    compact = re.sub(r"/\*.{0,5000}?\*/", "", sheet[:MAX_SHEET_CHARS].lower(), flags=re.DOTALL)
    return frozenset(
        name[1]
        for rule in _RULE.finditer(_MEDIA.sub("", compact))
        if _HIDDEN.search("".join(rule[2].split()))
        for name in _NAME.finditer(rule[1].strip())
    )


def _style(attributes: dict[str, str]) -> str:
    return "".join(attributes.get("style", "")[:MAX_STYLE_CHARS].lower().split())

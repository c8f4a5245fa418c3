"""Templates: merchants' texts with placeholders, filled from an event's values.

`{{ name }}` requires a value. `{{ name | default }}` falls back to a default, which may be quoted
or empty.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from domain.agent.plan import PLACEHOLDERS
from domain.core.effort import spend

VALUE_LIMIT: Final = 200
EXCERPT: Final = 40

_PLACEHOLDER: Final = re.compile(r"\{\{([^{}]*)\}\}")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_OPENING: Final = "{{"
FRAME_NAMES: Final = frozenset({"greeting", "sign_off"})
"""Placeholders for the greeting and sign-off. Their values keep line breaks."""

KNOWN_NAMES: Final = PLACEHOLDERS | FRAME_NAMES | {
    "order_number", "order_status", "order_total", "order_placed_on", "order_items",
    "tracking_url", "customer_name", "customer_email", "subject", "brand_name",
}  # fmt: skip
"""Placeholder names that are valid even if no payload field has the name."""

# Matches incomplete placeholders, and the syntax of other template languages.
_STRAY: Final = re.compile(r"\{\{|\}\}|\{%|%\}|\{#")
_QUOTES: Final = ('"', "'")


@dataclass(frozen=True, slots=True)
class Filled:
    """A filled template. Send `text` only if `missing` is empty.

    `missing` lists the placeholders without a value or default, in order. `used` counts those
    filled with a value, without defaults, greeting and sign-off.
    """

    text: str
    missing: tuple[str, ...] = ()
    used: int = 0

    @property
    def complete(self) -> bool:
        return not self.missing


def clean_value(value: str) -> str:
    """Return a value that fits inside a sentence: one trimmed line of at most `VALUE_LIMIT`
    characters.

    A customer's value could otherwise add paragraphs to a merchant's answer, or reverse its text
    direction.
    """
    # Truncate the value first because its length is unlimited and cleaning reads the whole value.
    kept = "".join(_single_line(mark) for mark in value[: VALUE_LIMIT * 4])
    return " ".join(kept.split())[:VALUE_LIMIT].rstrip()


def fill(body: str, values: Mapping[str, str]) -> Filled:
    """Return the template `body` with its placeholders filled. Never raises.

    A value that is blank after `clean_value` counts as missing. A value that looks like a
    placeholder is not filled again.
    """
    spend(len(body))
    missing: dict[str, None] = {}
    used = 0

    def replace(match: re.Match[str]) -> str:
        nonlocal used
        name, bar, default = match.group(1).partition("|")
        name = name.strip()
        if not _NAME.fullmatch(name):
            missing[match.group(0)] = None
            return ""
        given = values.get(name, "")
        value = given.strip() if name in FRAME_NAMES else clean_value(given)
        if value:
            used += name not in FRAME_NAMES
            return value
        if not bar:
            missing[name] = None
            return ""
        return _unquoted(default.strip())

    text = _PLACEHOLDER.sub(replace, body)
    # Search only the merchant's own words because braces in a value are plain text.
    if _OPENING in _PLACEHOLDER.sub("\0", body):
        missing[_OPENING] = None
    return Filled(text=text, missing=tuple(missing), used=used)


def unreadable(body: str) -> str | None:
    """Return the first invalid placeholder in `body`, or None, as one line of at most `EXCERPT`
    characters.

    A template with an invalid placeholder is never sent, so its author gets a warning.
    """
    place = _unreadable_place(body)
    return clean_value(body[slice(*place)])[:EXCERPT] if place else None


def unreadable_line(body: str) -> int | None:
    """Return the one-based line number of the first invalid placeholder, or None."""
    place = _unreadable_place(body)
    return body.count("\n", 0, place[0]) + 1 if place else None


def _unreadable_place(body: str) -> tuple[int, int] | None:
    """Return the start and end of the first invalid placeholder, or None."""
    for match in _PLACEHOLDER.finditer(body):
        if not _NAME.fullmatch(match.group(1).partition("|")[0].strip()):
            return match.span()
    # Replace each valid placeholder with marker characters, so that the words around it do not
    # join.
    rest = _PLACEHOLDER.sub(lambda found: "\0" * len(found.group(0)), body)
    found = _STRAY.search(rest)
    if found is None:
        return None
    end = rest.find("\0", found.start())
    return found.start(), end if end >= 0 else len(rest)


def placeholders_in(body: str) -> tuple[tuple[int, int], ...]:
    """Return the start and end of each placeholder in `body`, from left to right."""
    return tuple(match.span() for match in _PLACEHOLDER.finditer(body))


def names(body: str) -> frozenset[str]:
    """Return the names of the placeholders in `body`."""
    found = (match.group(1).partition("|")[0].strip() for match in _PLACEHOLDER.finditer(body))
    return frozenset(name for name in found if _NAME.fullmatch(name))


def _single_line(mark: str) -> str:
    category = unicodedata.category(mark)
    if mark.isspace() or category in {"Zl", "Zp"}:
        return " "
    return "" if category.startswith("C") else mark


def _unquoted(default: str) -> str:
    quoted = len(default) >= 2 and default[0] == default[-1] and default[0] in _QUOTES
    return default[1:-1] if quoted else default

"""Read payload fields, regardless of how the sender spells the keys."""

import json
import math
from collections.abc import Iterable, Mapping
from functools import cache

from pydantic import JsonValue

from domain.core.effort import spend
from domain.core.plain_text import clean_line

_MAX_NESTED_KEYS = 200


def folded(key: str) -> str:
    """Return a key in canonical form: `text_body`, `TextBody` and `text-body` become equal."""
    return key[:100].lower().replace("_", "").replace("-", "").replace(" ", "")


def scalar_text(value: JsonValue | None) -> str | None:
    """Return a string unchanged, and a number as its JSON text. Return None for null, booleans and
    containers."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool | list | dict):
        return None
    # Return None for huge integers and for NaN, because Python refuses to print integers with
    # thousands of digits, and JSON has no NaN.
    if isinstance(value, int):
        return str(value) if value.bit_length() <= 64 else None
    return json.dumps(value) if math.isfinite(value) else None


@cache
def _steps(path: str) -> tuple[str, tuple[str, ...]]:
    """Return the first name of a path in canonical form, and the names below it. The result is
    cached because all paths are constants in the code."""
    first, *rest = path.split(".")
    return folded(first), tuple(rest)


class PayloadView:
    """A view of a payload that returns values by dotted path ("ticket.customer.email"), with the
    keys in canonical form.

    `doubled` are the canonical keys that occur in several spellings with different values.
    """

    def __init__(self, payload: Mapping[str, JsonValue]) -> None:
        spend(len(payload))
        self._top: dict[str, JsonValue] = {}
        self.doubled: set[str] = set()
        for key, value in payload.items():
            name = folded(key)
            if self._top.setdefault(name, value) != value:
                self.doubled.add(name)

    def get(self, path: str) -> JsonValue | None:
        """Return the value at the dotted `path`, or None."""
        first, rest = _steps(path)
        value = self._top.get(first)
        for name in rest:
            if not isinstance(value, dict):
                return None
            value = _child(value, name)
        return value

    def has(self, path: str) -> bool:
        """Return True if the top-level key `path` is present, even as an empty string or null."""
        return folded(path) in self._top

    def raw(self, paths: Iterable[str]) -> str | None:
        """Return the first non-blank scalar at these paths, unchanged, or None."""
        for path in paths:
            value = scalar_text(self.get(path))
            if value is not None and value.strip():
                return value
        return None

    def line(self, paths: Iterable[str], limit: int) -> str | None:
        """Return the first non-blank scalar at these paths as one clean line of at most `limit`
        characters, or None."""
        for path in paths:
            value = scalar_text(self.get(path))
            line = clean_line(value, limit) if value is not None else ""
            if line:
                return line
        return None


def _child(value: dict[str, JsonValue], name: str) -> JsonValue | None:
    if name in value:
        return value[name]
    if len(value) > _MAX_NESTED_KEYS:
        return None
    wanted = folded(name)
    return next((child for key, child in value.items() if folded(key) == wanted), None)

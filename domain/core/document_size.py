"""Limits on a parsed document, checked before a model validates it. Without these limits, a large
invalid document would take long, because pydantic reports each invalid value separately."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, TypeVar

from pydantic import JsonValue, ValidationError

T = TypeVar("T")

MAX_ITEMS: Final = 200
"""Maximum length of any list in a document. It equals the limit for the longest list, which
contains the playbooks or cases of a file."""

MAX_KEYS: Final = 60
"""Maximum number of keys in any object of a document. It exceeds the limit for the largest object,
which contains the additional fields of a scenario."""

MAX_PROBLEMS: Final = 500
"""Number of problems in a document after which the rest of its entries is not validated."""

_found: ContextVar[list[int] | None] = ContextVar("problems_found", default=None)


def oversized(value: JsonValue) -> str | None:
    """Return the problem with the first oversized list or object, with its path, or None. Takes
    linear time."""
    waiting: list[tuple[str, JsonValue]] = [("", value)]
    while waiting:
        path, one = waiting.pop()
        if not isinstance(one, list | dict):
            continue
        limit = MAX_ITEMS if isinstance(one, list) else MAX_KEYS
        if len(one) > limit:
            return f"{path.lstrip('.') or 'the document'}: at most {limit} expected"
        inner = (
            [(f"{path}.{key}", part) for key, part in one.items()]
            if isinstance(one, dict)
            else [(f"{path}[{place}]", part) for place, part in enumerate(one)]
        )
        waiting += [pair for pair in reversed(inner) if isinstance(pair[1], list | dict)]
    return None


@contextmanager
def bounded_problems() -> Iterator[None]:
    """Within the `with` block, `until_problems` stops validating after MAX_PROBLEMS problems."""
    token = _found.set([0])
    try:
        yield
    finally:
        _found.reset(token)


def until_problems(value: T, validate: Callable[[T], T]) -> T:
    """Validate an entry, unless earlier entries had MAX_PROBLEMS problems. The document is then
    rejected anyway. For use as a WrapValidator."""
    found = _found.get()
    if found is None:
        return validate(value)
    if found[0] > MAX_PROBLEMS:
        return value
    try:
        return validate(value)
    except ValidationError as error:
        found[0] += error.error_count()
        raise

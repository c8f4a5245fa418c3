"""Iteration over lists with pages."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import attrs

Page = TypeVar("Page")


def pages(operation: Callable[..., Page], *args: object, **parameters: object) -> Iterator[Page]:
    """Yield all pages of a list. `operation`: an operation with a cursor, as `engine.runs.list`."""
    cursor: object = parameters.pop("cursor", None)
    while True:
        further = {} if cursor is None else {"cursor": cursor}
        page = operation(*args, **parameters, **further)
        yield page
        cursor = getattr(page, "next_cursor", None)
        if not cursor:
            return


def each(operation: Callable[..., Any], *args: object, **parameters: object) -> Iterator[Any]:
    """Yield all records of a list. `operation`: an operation with a cursor."""
    for page in pages(operation, *args, **parameters):
        values = (getattr(page, field.name) for field in attrs.fields(type(page)))
        yield from next((value for value in values if isinstance(value, list)), [])

"""The size of an event. Large events are processed separately from all others."""

from typing import Final

from pydantic import JsonValue

from domain.intake.event import InboundEvent

LARGE: Final = 16 * 1024
"""Minimum total number of characters in all texts of a large event."""


def is_large(event: InboundEvent) -> bool:
    """Return True if the texts of an event have at least LARGE characters in total. Counting stops
    at LARGE."""
    size = len(event.message or "")
    waiting: list[JsonValue] = [event.payload]
    while waiting and size < LARGE:
        match waiting.pop():
            case str(text):
                size += len(text)
            case dict(fields):
                size += sum(map(len, fields))
                waiting += fields.values()
            case list(values):
                size += len(values)
                waiting += values
            case _:
                size += 1
    return size >= LARGE

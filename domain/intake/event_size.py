"""How large an event is: what is large is not worked on beside everything else."""

from typing import Final

from pydantic import JsonValue

from domain.intake.event import InboundEvent

LARGE: Final = 16 * 1024
"""Characters of all texts of an event, from which on it is large."""


def is_large(event: InboundEvent) -> bool:
    """Whether the texts of an event have LARGE characters or more. It stops counting there."""
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

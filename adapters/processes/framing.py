"""The framing of messages between a process and its children: a length, then the message."""

from typing import Final

LENGTH_BYTES: Final = 8


def framed(message: bytes) -> bytes:
    """Return a message with its length in front, as an integer of `LENGTH_BYTES` bytes."""
    return len(message).to_bytes(LENGTH_BYTES) + message

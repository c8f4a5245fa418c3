"""A file in a message, with its content."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """A file in a received or sent message. The sender chose `name` and `claimed_type`."""

    name: str
    claimed_type: str
    data: bytes = field(repr=False)

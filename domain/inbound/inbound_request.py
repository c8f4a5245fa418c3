"""The request: one webhook as it came, before anything is believed of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class InboundRequest:
    """`headers`: names in lower case; of a repeated one the values joined by ", ". `body`: the raw
    bytes, as they were signed."""

    headers: Mapping[str, str]
    body: bytes = field(repr=False)

    @property
    def digest(self) -> bytes:
        """SHA-256 of the body, 32 bytes."""
        return sha256(self.body).digest()

"""The request: one webhook as received, before verification."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class InboundRequest:
    """`headers`: names in lower case; repeated values are joined by ", ". `body`: the raw bytes, as
    signed."""

    headers: Mapping[str, str]
    body: bytes = field(repr=False)

    @property
    def digest(self) -> bytes:
        """SHA-256 of the body, 32 bytes."""
        return sha256(self.body).digest()

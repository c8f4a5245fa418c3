"""An inbound request: a webhook as received, before verification."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class InboundRequest:
    """An HTTP request to an endpoint. `headers` have lower-case names, and repeated values are
    joined by ", ". `body` contains the raw signed bytes."""

    headers: Mapping[str, str]
    body: bytes = field(repr=False)

    @property
    def digest(self) -> bytes:
        """The SHA-256 digest of the body, 32 bytes."""
        return sha256(self.body).digest()

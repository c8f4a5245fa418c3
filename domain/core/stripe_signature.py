"""Parse and verify the Stripe-Signature header, for events from the service's own Stripe account
and from merchants' accounts."""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Final, Self

_MAX_HEADER: Final = 1_000
_SCHEME: Final = "v1"


@dataclass(frozen=True, slots=True)
class StripeSignature:
    """A parsed Stripe-Signature header. `signed_at` is the Unix time as written, because it is part
    of the signed data. `given` contains two signatures during a secret rotation."""

    signed_at: str
    given: tuple[str, ...]

    @classmethod
    def parse(cls, header: str) -> Self | None:
        """Parse the header. Return None if it is malformed."""
        if len(header) > _MAX_HEADER:
            return None
        pairs = [(name.strip(), value.strip()) for name, _, value in _parts(header)]
        times = [value for name, value in pairs if name == "t"]
        if len(times) != 1 or not _is_number(times[0]):
            return None
        return cls(times[0], tuple(value for name, value in pairs if name == _SCHEME))

    def age_s(self, now: datetime) -> float:
        """Return the age of the signature in seconds. The age is negative if the signed time is in
        the future."""
        return now.timestamp() - int(self.signed_at)

    def fits(self, body: bytes, secrets: Sequence[str]) -> bool:
        """Return True if one of the secrets signed the body at `signed_at`, in constant time.

        The key is the whole secret with its prefix `whsec_`.
        """
        signed = f"{self.signed_at}.".encode() + body
        fitting = 0
        for secret in secrets:
            expected = hmac.new(secret.encode(), signed, sha256).hexdigest().encode()
            fitting += sum(hmac.compare_digest(expected, one.encode()) for one in self.given)
        return fitting > 0


def _parts(header: str) -> list[tuple[str, str, str]]:
    return [part.partition("=") for part in header.split(",")]


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 12

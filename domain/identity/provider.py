"""Signing in by another identity provider (OpenID Connect)."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

ATTEMPT_LASTS: Final = timedelta(minutes=10)
"""How long somebody may take at the provider, and then to name their shop."""


@dataclass(frozen=True, slots=True)
class SignInAttempt:
    """What ties the provider's answer to the browser that asked. All of it is random, and the
    browser alone brings it back."""

    state: str
    nonce: str = field(repr=False)
    code_verifier: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ProvedPerson:
    """Whom the provider vouches for. `subject`: their id as a user. `email`: only where it says
    that the address is theirs, as `sign_in_address` writes it."""

    subject: str
    email: str | None

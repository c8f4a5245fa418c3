"""Sign-in through an identity provider (OpenID Connect)."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

ATTEMPT_LASTS: Final = timedelta(minutes=10)
"""Time limit for signing in at the provider and then entering the shop's name."""


@dataclass(frozen=True, slots=True)
class SignInAttempt:
    """The random values of one sign-in attempt. They bind the identity provider's response to the
    requesting browser because only this browser can return them."""

    state: str
    nonce: str = field(repr=False)
    code_verifier: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ProvedPerson:
    """The person authenticated by the identity provider, with the provider's user id as `subject`.
    `email` is None unless the provider has verified it."""

    subject: str
    email: str | None

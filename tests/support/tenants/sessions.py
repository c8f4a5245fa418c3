"""Verifiers of session tokens from another identity provider or from our own."""

import pytest

from adapters.identity.session import SessionVerifier
from domain.tenants.errors import Unauthenticated
from settings import Settings
from tests.support.core.engine import settings_of
from tests.support.tenants.identity import AUDIENCE, ISSUER


def external(url: str, **more: object) -> Settings:
    return settings_of(
        "postgresql://u@h/d", "h:1", jwt_jwks_url=url, jwt_issuer=ISSUER, jwt_audience=AUDIENCE,
        admin_user_ids="boss, user|2", **more,
    )  # fmt: skip


def own(**more: object) -> Settings:
    return settings_of("postgresql://u@h/d", "h:1", **more)


async def refused(verifier: SessionVerifier, token: str) -> None:
    with pytest.raises(Unauthenticated):
        await verifier.verify(token)

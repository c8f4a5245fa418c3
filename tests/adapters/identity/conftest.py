"""Another identity provider, and the verifier of its tokens."""

from collections.abc import AsyncIterator
from typing import Final

import pytest

from adapters.identity.session import SessionVerifier, session_verifier
from tests.support.tenants.identity import Provider, ec_key, identity_provider, rsa_key
from tests.support.tenants.sessions import external

# Created once, because an RSA key takes long.
RSA: Final = rsa_key()


@pytest.fixture
async def provider(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Provider]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    async with identity_provider() as provider:
        provider.publish(first=ec_key(), rsa=RSA)
        yield provider


@pytest.fixture
async def verifier(provider: Provider) -> AsyncIterator[SessionVerifier]:
    verifier = session_verifier(external(provider.url).identity)
    assert verifier is not None
    yield verifier
    await verifier.close()

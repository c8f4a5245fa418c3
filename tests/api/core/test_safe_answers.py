"""What every response says about its process, and about retries."""

import pytest

from tests.support.core.engine import LiveEngine

ONLY_TLS = "strict-transport-security"


@pytest.mark.parametrize("path", ["/healthz", "/nowhere", "/api/billing/usage"])
async def test_browsers_come_back_by_tls(engine: LiveEngine, path: str) -> None:
    behind = await engine.http.get(path, headers={"x-forwarded-proto": "https"})
    assert behind.headers[ONLY_TLS] == "max-age=31536000"

    for headers in ({}, {"x-forwarded-proto": "http"}, {"forwarded": "proto=https"}):
        plain = await engine.http.get(path, headers=headers)
        assert ONLY_TLS not in plain.headers


async def test_instance(engine: LiveEngine, idle_engine: LiveEngine) -> None:
    """Each process has a different id, which is the same in both places."""
    found = set()
    for it in (engine, idle_engine):
        answers = [(await it.http.get(path)).json() for path in ("/healthz", "/readyz")]
        (instance,) = {answer["instance"] for answer in answers}
        found.add(instance)
    assert len(found) == 2

"""What the tests with whole processes share."""

from datetime import timedelta

import pytest


@pytest.fixture
def missed_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Temporal misses a dead worker of what this process starts sooner than in the product, and in
    the same way. A step that a slow worker is too late with is tried again, there as here."""
    monkeypatch.setattr("adapters.temporal.client._TASK_TIMEOUT", timedelta(seconds=2))

"""Shared fixtures for tests with whole processes."""

from datetime import timedelta

import pytest


@pytest.fixture
def missed_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Temporal detect a dead worker sooner than in production, in the same way. A step for
    which a slow worker is too late is retried, as in production."""
    monkeypatch.setattr("adapters.temporal.client._TASK_TIMEOUT", timedelta(seconds=2))

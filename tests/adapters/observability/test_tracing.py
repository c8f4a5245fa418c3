"""Tracing libraries are imported only if tracing is enabled."""

import subprocess
import sys

import pytest

from adapters.observability.tracing import traces_of
from domain.core.errors import InvalidInput
from settings.service import WatchSettings
from tests.support.core.forks import ROOT


def test_nothing_is_loaded_for_those_who_want_none() -> None:
    program = (
        "import sys, worker, workers.engine, workers.webhooks, commands.core.server\n"
        "from adapters.observability.tracing import traces_of\n"
        "from settings.service import WatchSettings\n"
        "with traces_of(WatchSettings(), 'api') as traces:\n"
        "    loaded = {'opentelemetry.sdk', 'opentelemetry.exporter'} & set(sys.modules)\n"
        "    sys.exit(str(loaded) if loaded or traces is not None else 0)\n"
    )
    tried = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert tried.returncode == 0, tried.stderr[-2000:]


def test_who_wants_them_without_the_libraries_is_told_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "adapters.observability.open_telemetry", None)
    watch = WatchSettings.model_validate({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"})

    with (
        pytest.raises(
            InvalidInput, match=r"pip install --require-hashes -r requirements/otel\.txt"
        ),
        traces_of(watch, "api"),
    ):
        pass

"""Regenerate docs/service-metrics.md from the declarations: `python -m scripts.service_metrics`."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from adapters.observability.metric_catalogue import (
    INSTALLATION_METRICS,
    PROCESS_METRICS,
    DeclaredMetric,
)

FILE: Final = Path(__file__).parents[1] / "docs" / "service-metrics.md"
_HEAD: Final = """\
# Service metrics

This page is for operators. It lists every metric of `GET /metrics` for Prometheus.
[Operations](operations.md#metrics) explains how to enable the port, and names the alert rules and
the dashboard that use the metrics. `python -m scripts.service_metrics` generates this file, and a
test compares it with the declarations.
"""
_PROCESS: Final = """
## Metrics of a process

The API and each worker export these metrics about themselves.

"""
_INSTALLATION: Final = """
## Metrics of the installation

Each API process exports these metrics about the whole installation. All processes export the same
values ([operations](operations.md#metrics)).

"""
_LIBRARIES: Final = """
## Metrics of libraries

| Name | Meaning |
|---|---|
| `process_*` | Memory, CPU and open files of the process. |
| `temporal_*` | [Temporal's SDK metrics](https://docs.temporal.io/references/sdk-metrics) of the \
client and the worker. |
"""
_COLUMNS: Final = "| Name | Type | Labels | Meaning |\n|---|---|---|---|\n"


def table() -> str:
    """Return the new text of docs/service-metrics.md."""
    process, installation = _rows(PROCESS_METRICS), _rows(INSTALLATION_METRICS)
    return "".join((_HEAD, _PROCESS, process, _INSTALLATION, installation, _LIBRARIES))


def _rows(metrics: Iterable[DeclaredMetric]) -> str:
    return _COLUMNS + "".join(map(_row, metrics))


def _row(metric: DeclaredMetric) -> str:
    labels = ", ".join(f"`{label}`" for label in metric.labels)
    return f"| `{metric.full_name}` | {metric.kind} | {labels} | {metric.meaning} |\n"


if __name__ == "__main__":
    FILE.write_text(table(), encoding="utf-8")

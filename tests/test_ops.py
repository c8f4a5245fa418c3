"""The dashboard and alerts in ops/: they are valid, and query existing metrics."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import temporalio.bridge.runtime
import yaml
from prometheus_client import CollectorRegistry

from adapters.observability.metric_catalogue import INSTALLATION_METRICS, PROCESS_METRICS
from adapters.observability.metrics import Metrics
from tests.support.core.forks import ROOT

ALERTS: Final = ROOT / "ops/prometheus/alerts.yml"
ALERTS_TEST: Final = ROOT / "ops/prometheus/alerts_test.yml"
DASHBOARD: Final = ROOT / "ops/grafana/support-engine.json"
PROMTOOL: Final = shutil.which("promtool")

needs_promtool = pytest.mark.skipif(PROMTOOL is None, reason="no promtool on this machine")


def alerts() -> list[dict[str, Any]]:
    groups = yaml.safe_load(ALERTS.read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def panels() -> list[dict[str, Any]]:
    found = json.loads(DASHBOARD.read_text())["panels"]
    return [panel for panel in found if panel["type"] != "row"]


def expressions() -> Iterator[str]:
    yield from (rule["expr"] for rule in alerts())
    for panel in panels():
        yield from (target["expr"] for target in panel["targets"])


def asked_for() -> set[str]:
    names = r"\b(?:engine|process|temporal)_[a-z_]+\b"
    return {name for expression in expressions() for name in re.findall(names, expression)}


def ours() -> set[str]:
    """Return every metric name of a process, after one event of each kind."""
    registry: CollectorRegistry = Metrics().registry
    shown: set[str] = {one.full_name for one in INSTALLATION_METRICS}
    for family in registry.collect():
        endings = {
            "counter": ["_total"],
            "histogram": ["_bucket", "_sum", "_count"],
        }.get(family.type, [""])
        shown |= {family.name + ending for ending in endings}
    return shown


def test_every_number_of_ours_exists() -> None:
    wanted = {name for name in asked_for() if not name.startswith("temporal_")}
    assert len(wanted) > 20
    assert wanted - ours() == set()


def test_every_number_of_a_process_is_declared() -> None:
    """docs/service-metrics.md lists the declared ones."""
    exported = {
        family.name + ("_total" if family.type == "counter" else ""): family.documentation
        for family in Metrics().registry.collect()
        if not family.name.startswith("process_")
    }
    assert exported == {one.full_name: one.meaning for one in PROCESS_METRICS}


def test_every_number_of_the_library_exists() -> None:
    """Some appear only after an error, so the library's binary is searched."""
    program = Path(str(temporalio.bridge.temporal_sdk_bridge.__file__)).read_bytes()
    wanted = {name for name in asked_for() if name.startswith("temporal_")}
    assert len(wanted) >= 6
    for name in wanted:
        base = re.sub(r"(_seconds)?(_bucket|_sum|_count|_total)?$", "", name)
        assert base.removeprefix("temporal_").encode() in program, name


def test_every_alert_is_tried() -> None:
    tried = [
        (one["alertname"], bool(one["exp_alerts"]))
        for test in yaml.safe_load(ALERTS_TEST.read_text())["tests"]
        for one in test["alert_rule_test"]
    ]
    for rule in alerts():
        assert (rule["alert"], True) in tried
        assert (rule["alert"], False) in tried
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert rule["annotations"]["summary"]


def test_a_panel_is_whole() -> None:
    titles = [panel["title"] for panel in panels()]
    assert len({*titles}) == len(titles)
    for panel in panels():
        assert panel["datasource"]["uid"] == "${datasource}"
        assert all(target["legendFormat"] for target in panel["targets"])


@needs_promtool
@pytest.mark.slow
def test_alerts_rise_when_they_should() -> None:
    promtool("check", "rules", str(ALERTS))
    promtool("test", "rules", str(ALERTS_TEST))


@needs_promtool
def test_prometheus_can_read_the_dashboard(tmp_path: Path) -> None:
    asked = [
        target["expr"].replace("$__rate_interval", "5m")
        for panel in panels()
        for target in panel["targets"]
    ]
    rules = [{"record": f"panel:{number}", "expr": one} for number, one in enumerate(asked)]
    file = tmp_path / "panels.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))
    promtool("check", "rules", "--lint=none", str(file))


def promtool(*arguments: str) -> None:
    done = subprocess.run(
        [str(PROMTOOL), *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr

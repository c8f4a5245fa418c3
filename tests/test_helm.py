"""The Helm chart runs the same processes with the same settings as Compose, as a cluster expects
them."""

import copy
import json
import shutil
import subprocess
from functools import cache
from typing import Any, Final

import pytest
import yaml

from settings import load_settings
from tests.support.core.compose_file import example_values, ours, read_yaml, words
from tests.support.core.environment_names import ALL as SETTINGS
from tests.support.core.forks import ROOT

CHART: Final = ROOT / "deploy" / "helm"
_OURS: Final = ROOT / ".tools" / "helm"
HELM: Final = str(_OURS) if _OURS.exists() else shutil.which("helm")
needs_helm: Final = pytest.mark.skipif(HELM is None, reason="needs helm")

GIVEN: Final[dict[str, Any]] = {
    "settings": {"PUBLIC_URL": "https://engine.example", "TEMPORAL_ADDRESS": "temporal:7233"},
    "secrets": {"existingSecret": "engine", "existingMigrationSecret": "engine-owner"},
    "ingress": {"enabled": True, "host": "engine.example", "tlsSecret": "tls"},
    "metrics": {"serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}}},
}


def helm(*arguments: str, values: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    assert HELM is not None
    return subprocess.run(
        [HELM, *arguments, str(CHART), "--values", "-"],
        input=json.dumps(values),
        capture_output=True,
        text=True,
        check=False,
    )


@cache
def _rendered(values: str) -> tuple[dict[str, Any], ...]:
    done = helm("template", "shop", values=json.loads(values))
    assert done.returncode == 0, done.stderr
    return tuple(one for one in yaml.safe_load_all(done.stdout) if one)


def rendered(**more: object) -> tuple[dict[str, Any], ...]:
    """Return the objects of the chart. `more`: values in place of those above."""
    return _rendered(json.dumps(GIVEN | more))


def of_kind(kind: str, **more: object) -> dict[str, dict[str, Any]]:
    return {one["metadata"]["name"]: one for one in rendered(**more) if one["kind"] == kind}


def pods() -> dict[str, dict[str, Any]]:
    """Return the pod specifications by the name of their Deployment or Job."""
    return {
        name: one["spec"]["template"]["spec"]
        for name, one in (of_kind("Deployment") | of_kind("Job")).items()
    }


def values_file() -> dict[str, Any]:
    found: dict[str, Any] = read_yaml((CHART / "values.yaml").read_text())
    return found


def schema() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((CHART / "values.schema.json").read_text())
    return found


# --- without helm -------------------------------------------------------------------------------


def test_values_are_those_of_the_schema() -> None:
    assert set(values_file()) == set(schema()["properties"]) - {"global"}
    for name, value in values_file().items():
        known = schema()["properties"][name]
        known = (
            schema()["definitions"][known["$ref"].rpartition("/")[2]] if "$ref" in known else known
        )
        if isinstance(value, dict) and "properties" in known and name != "settings":
            assert set(value) <= set(known["properties"]), name


def test_settings_of_the_chart_exist() -> None:
    own = schema()["properties"]["settings"]["properties"]
    assert set(values_file()["settings"]) | set(own) <= SETTINGS
    secret = {name for name, rule in own.items() if rule is False}
    assert secret >= {"DATABASE_URL", "SEAL_KEY", "SESSION_KEY", "SMTP_URL", "ENGINE_SECRET"}


def test_templates_take_only_values_that_exist() -> None:
    text = "\n".join(one.read_text() for one in (CHART / "templates").iterdir())
    for name in set(values_file()):
        assert f".Values.{name}" in text, name


def test_versions_agree() -> None:
    chart = read_yaml((CHART / "Chart.yaml").read_text())
    images = {str(one["image"]) for one in ours().values()}
    assert images == {f"{values_file()['image']['repository']}:{chart['appVersion']}"}


# --- with helm ----------------------------------------------------------------------------------


@needs_helm
def test_chart_passes_lint() -> None:
    done = helm("lint", "--strict", values=GIVEN)
    assert done.returncode == 0, done.stdout


@needs_helm
def test_each_object_is_rendered() -> None:
    kinds = sorted(f"{one['kind']} {one['metadata']['name']}" for one in rendered())
    assert kinds == [
        "ConfigMap shop",
        "Deployment shop-api",
        "Deployment shop-webhook-worker",
        "Deployment shop-worker",
        "HorizontalPodAutoscaler shop-api",
        "HorizontalPodAutoscaler shop-worker",
        "Ingress shop-api",
        "Job shop-migrate",
        "Job shop-promote",
        "NetworkPolicy shop",
        "NetworkPolicy shop-api",
        "PodDisruptionBudget shop-api",
        "PodDisruptionBudget shop-worker",
        "Service shop-api",
        "Service shop-metrics",
        "ServiceAccount shop",
        "ServiceMonitor shop",
    ]


@needs_helm
def test_commands_are_those_of_compose() -> None:
    commands = {tuple(one["containers"][0]["command"]) for one in pods().values()}
    promote = ("python", "cli.py", "deployment", "promote")
    assert commands == {tuple(words(one)) for one in ours().values()} | {promote}


@needs_helm
def test_pods_have_no_privileges() -> None:
    for name, pod in pods().items():
        (container,) = pod["containers"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] == 10001
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["automountServiceAccountToken"] is False
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        mounted = {one["name"] for one in container["volumeMounts"]}
        assert mounted == {one["name"] for one in pod["volumes"]}
        assert "memory" in container["resources"]["limits"], name
        assert {"cpu", "memory"} <= container["resources"]["requests"].keys(), name


@needs_helm
def test_processes_are_probed_and_drain() -> None:
    drain = int(of_kind("ConfigMap")["shop"]["data"]["DRAIN_S"])
    for name, one in of_kind("Deployment").items():
        pod = one["spec"]["template"]["spec"]
        (container,) = pod["containers"]
        ports = {port["name"] for port in container["ports"]}
        probes = {kind: container[f"{kind}Probe"] for kind in ("startup", "liveness", "readiness")}
        assert probes["liveness"]["httpGet"]["path"] == "/healthz"
        assert probes["readiness"]["httpGet"]["path"] == "/readyz"
        assert {probe["httpGet"]["port"] for probe in probes.values()} <= ports
        # A worker finishes within 45 s, and the API within 35 s after its drain.
        assert pod["terminationGracePeriodSeconds"] >= drain + 45, name
        assert one["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] == 0
    readiness = of_kind("Deployment")["shop-api"]["spec"]["template"]["spec"]["containers"][0]
    probe = readiness["readinessProbe"]
    assert probe["periodSeconds"] * probe["failureThreshold"] < drain


@needs_helm
def test_settings_and_secrets_reach_each_process(monkeypatch: pytest.MonkeyPatch) -> None:
    data = of_kind("ConfigMap")["shop"]["data"]
    assert set(data) <= SETTINGS
    for name, pod in pods().items():
        (container,) = pod["containers"]
        sources = [next(iter(one.values()))["name"] for one in container["envFrom"]]
        if name == "shop-migrate":
            assert sources == ["engine", "engine-owner"]
            continue
        assert sources == ["shop", "engine"]
        required = [one["valueFrom"]["secretKeyRef"] for one in container["env"]]
        assert {one["key"] for one in required} == {"DATABASE_URL", "SEAL_KEY", "SMTP_URL"}
        assert not [one for one in required if one.get("optional")]
    for setting in SETTINGS:
        monkeypatch.delenv(setting, raising=False)
    filled = example_values()
    secret = {name: filled[name] for name in ("SEAL_KEY", "SESSION_KEY", "SMTP_URL")}
    secret["DATABASE_URL"] = "postgresql://engine_app:hunter2@postgres/engine"
    for name, value in {**data, **secret}.items():
        monkeypatch.setenv(name, value)

    settings = load_settings()

    assert settings.server.origin == "https://engine.example"
    assert settings.temporal.address == "temporal:7233"
    assert settings.temporal.version == (
        "shop",
        read_yaml((CHART / "Chart.yaml").read_text())["appVersion"].replace(".", "-"),
    )


@needs_helm
def test_migration_runs_first_with_the_owners_role() -> None:
    job = of_kind("Job")["shop-migrate"]
    hooks = job["metadata"]["annotations"]["helm.sh/hook"]
    assert hooks == "pre-install,pre-upgrade"
    # No object of the chart exists before the first installation.
    assert "serviceAccountName" not in job["spec"]["template"]["spec"]
    promote = of_kind("Job")["shop-promote"]["metadata"]["annotations"]["helm.sh/hook"]
    assert promote == "post-install,post-upgrade,post-rollback"


@needs_helm
def test_selectors_find_pods_and_services() -> None:
    labels = [
        one["spec"]["template"]["metadata"]["labels"] for one in of_kind("Deployment").values()
    ]

    def matched(selector: dict[str, str]) -> int:
        return sum(selector.items() <= one.items() for one in labels)

    for budget in of_kind("PodDisruptionBudget").values():
        assert matched(budget["spec"]["selector"]["matchLabels"]) == 1
    services = of_kind("Service")
    assert matched(services["shop-api"]["spec"]["selector"]) == 1
    assert matched(services["shop-metrics"]["spec"]["selector"]) == 3
    policies = of_kind("NetworkPolicy")
    assert matched(policies["shop"]["spec"]["podSelector"]["matchLabels"]) == 3
    assert policies["shop"]["spec"]["ingress"] == []
    monitor = of_kind("ServiceMonitor")["shop"]
    assert monitor["metadata"]["labels"]["release"] == "prometheus"
    wanted = monitor["spec"]["selector"]["matchLabels"].items()
    assert [n for n, one in services.items() if wanted <= one["metadata"]["labels"].items()] == [
        "shop-metrics"
    ]
    for scaler in of_kind("HorizontalPodAutoscaler").values():
        target = of_kind("Deployment")[scaler["spec"]["scaleTargetRef"]["name"]]
        assert "replicas" not in target["spec"]


@needs_helm
@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("settings", "PUBLIC_URL"), ""),
        (("settings", "TEMPORAL_ADDRESS"), ""),
        (("settings", "SMTP_URL"), "smtps://user:hunter2@mail.example"),
        (("settings", "SEAL_KEY"), "x"),
        (("secrets", "existingSecret"), ""),
        (("secrets", "existingMigrationSecret"), ""),
        (("image",), {"repository": "engine", "digest": "latest"}),
        (("ingress", "tlsSecret"), ""),
        (("replicas",), 3),
    ],
    ids=lambda one: one[-1] if isinstance(one, tuple) else "",
)
def test_values_that_cannot_work_are_rejected(path: tuple[str, ...], value: object) -> None:
    given = copy.deepcopy(GIVEN)
    place = given
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value

    done = helm("template", "shop", values=given)

    assert done.returncode != 0
    assert path[-1] in done.stderr


@needs_helm
def test_a_digest_takes_the_place_of_the_tag() -> None:
    digest = f"sha256:{'a' * 64}"
    image = {"repository": "engine", "digest": digest}

    deployments = of_kind("Deployment", image=image).values()

    used = {one["spec"]["template"]["spec"]["containers"][0]["image"] for one in deployments}
    assert used == {f"engine@{digest}"}
    build = of_kind("ConfigMap", image=image)["shop"]["data"]["TEMPORAL_BUILD_ID"]
    assert build.startswith("sha256-aaa")


@needs_helm
def test_builds_and_policies_can_be_switched_off() -> None:
    off = {"enabled": False}
    kinds = {one["kind"] for one in rendered(workerBuilds=off, networkPolicy=off, ingress=off)}
    assert not kinds & {"NetworkPolicy", "Ingress"}
    data = of_kind("ConfigMap", workerBuilds=off)["shop"]["data"]
    assert not {"TEMPORAL_DEPLOYMENT", "TEMPORAL_BUILD_ID"} & data.keys()
    assert "shop-promote" not in of_kind("Job", workerBuilds=off)

"""docker-compose.yml and .env.example match the code."""

import os
import re
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Final, cast

import pytest

from commands.core import connections
from domain.core import names
from embedded.temporal_server import TUNING
from settings import load_settings
from settings.service import ReviewSettings, ServerSettings
from tests.support.core.command_check import check_command
from tests.support.core.compose_file import (
    OUR_IMAGE,
    VARIABLE,
    Service,
    compose_text,
    environment,
    example_names,
    example_values,
    interpolated,
    ours,
    read_yaml,
    services,
    unfilled_names,
    words,
)
from tests.support.core.environment_names import ALL as SETTINGS
from tests.support.core.environment_names import REQUIRED
from tests.support.core.forks import ROOT

SECRET_NAME: Final = re.compile(r"PASSWORD|PWD|SECRET|_KEY|TOKEN|SMTP_URL")
SECRET_VALUE: Final = re.compile(
    r"ak_[0-9a-f]{32}|whsec_[0-9a-f]{16}|[A-Za-z0-9_-]{43}=|\b[0-9a-f]{32,}\b"
)


# --- docker-compose.yml -------------------------------------------------------------------------


def test_processes_of_a_deployment() -> None:
    replicas = {
        name: cast("dict[str, int]", service.get("deploy", {})).get("replicas", 1)
        for name, service in ours().items()
    }
    assert replicas == {"migrate": 1, "api": 2, "worker": 2, "webhook-worker": 1}


def test_each_queue_has_a_worker() -> None:
    commands = [words(service) for service in ours().values()]
    queues = [command[-1] for command in commands if "worker.py" in command]
    assert sorted(queues) == sorted(names.QUEUES)


@pytest.mark.parametrize("name", sorted(ours()))
def test_environment_is_that_of_the_settings(name: str) -> None:
    given = set(environment(ours()[name]))
    assert given <= SETTINGS
    assert given >= REQUIRED
    assert given >= SETTINGS - {"HOST", "PORT"}, "a setting that nobody can set here"


@pytest.mark.parametrize("name", sorted(ours()))
def test_filled_in_example_makes_settings(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for setting in SETTINGS:
        monkeypatch.delenv(setting, raising=False)
    for setting, value in environment(ours()[name]).items():
        monkeypatch.setenv(setting, interpolated(str(value), example_values()))

    settings = load_settings()

    # the owner, and the role that must not own tables
    role = "engine" if name == "migrate" else "engine_app"
    assert settings.database.url == f"postgresql://{role}:hunter2@postgres:5432/engine"
    assert settings.temporal.address == "temporal:7233"
    assert settings.mail.smtp_url is not None
    assert settings.server.origin == "https://engine.example"
    assert settings.identity.session_key is not None
    assert settings.identity.engine_secret is None
    assert settings.reviews == ReviewSettings()
    if name == "api":
        assert (settings.server.host, settings.server.port) == ("0.0.0.0", 8080)


@pytest.mark.parametrize("name", ["SMTP_URL", "PUBLIC_URL", "SESSION_KEY"])
def test_nothing_starts_without_what_signing_in_needs(name: str) -> None:
    values = example_values()
    del values[name]

    for service in ours().values():
        with pytest.raises(LookupError, match=f"^{name}: set {name} in .env"):
            interpolated(" ".join(map(str, environment(service).values())), values)


def test_an_example_that_is_copied_and_half_filled_in_starts_nothing() -> None:
    """Earlier, a blank `SESSION_KEY` started everything, and nobody could sign in."""
    filled, names = example_values(), unfilled_names()
    without = {name: filled[name] for name in names}
    for blank in names:
        with pytest.raises(LookupError, match=f"^{blank}: "):
            interpolated(compose_text(), filled | {blank: ""})
    with pytest.raises(LookupError, match=r"^SESSION_KEY: "):
        interpolated(compose_text(), without)


def test_a_blank_session_key_leaves_signing_in_to_another_provider(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = example_values() | {
        "SESSION_KEY": "",
        "OIDC_ISSUER": "https://login.example/",
        "OIDC_CLIENT_ID": "support-engine",
    }
    for setting, value in environment(ours()["api"]).items():
        monkeypatch.setenv(setting, interpolated(str(value), values))

    settings = load_settings()

    assert settings.identity.session_key is None
    assert settings.identity.has_other_provider
    for name in ("SMTP_URL", "PUBLIC_URL"):
        with pytest.raises(LookupError, match=f"^{name}: "):
            interpolated(
                "".join(map(str, environment(ours()["api"]).values())), values | {name: ""}
            )


def test_published_ports_lead_to_the_api() -> None:
    api = ours()["api"]
    (mapping,) = words(api, "ports")
    host, _, inside = mapping.rpartition(":")
    first, _, last = host.rpartition(":")[2].partition("-")
    assert inside == environment(api)["PORT"]
    assert int(last) - int(first) + 1 == cast("dict[str, int]", api["deploy"])["replicas"]


@pytest.mark.parametrize("name", sorted(ours()))
def test_commands_exist(name: str) -> None:
    python, program, *arguments = words(ours()[name])
    assert python == "python"
    if program == "worker.py":
        # --help comes last: argparse has validated the other arguments by then.
        tried = [sys.executable, str(ROOT / program), *arguments, "--help"]
        assert subprocess.run(tried, capture_output=True, check=False).returncode == 0
    else:
        assert program == "cli.py"
        check_command(arguments)


def test_ports_are_this_hosts_alone() -> None:
    published = [
        port for s in services().values() for port in cast("list[str]", s.get("ports", []))
    ]
    assert len(published) == 2
    assert all(port.startswith("127.0.0.1:") for port in published)


def test_temporal_has_shards_to_grow_with() -> None:
    """The number can never be changed: see docs/operations.md."""
    assert environment(services()["temporal"])["NUM_HISTORY_SHARDS"] == "512"


def test_connections_of_all_processes_fit_postgresql() -> None:
    sql = environment(services()["temporal"])
    of_temporal = 4 * (int(sql["SQL_MAX_CONNS"]) + int(sql["SQL_VIS_MAX_CONNS"]))
    replicas = {
        name: cast("dict[str, int]", service.get("deploy", {})).get("replicas", 1)
        for name, service in ours().items()
    }
    assert of_temporal == connections.TEMPORAL
    assert (
        replicas["api"],
        replicas["worker"],
        replicas["webhook-worker"],
    ) == (connections.API, connections.WORKERS, connections.WEBHOOK_WORKERS)
    needed = sum(count * each for _, count, each in connections.processes(2, 2, 1, of_temporal))
    (setting,) = (word for word in words(services()["postgres"]) if "=" in word)
    name, _, number = setting.partition("=")
    assert name == "max_connections"
    # PostgreSQL reserves three for superusers.
    assert needed + 3 <= int(number)


def serving() -> dict[str, Service]:
    return {name: service for name, service in ours().items() if name != "migrate"}


@pytest.mark.parametrize("name", sorted(serving()))
@pytest.mark.parametrize("status", [200, 503])
def test_health_check_asks_whether_the_process_is_ready(name: str, status: int) -> None:
    asked: list[str] = []

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    service = serving()[name]
    command = words(cast("Service", service["healthcheck"]), "test")
    own_port = environment(service).get("PORT", "")
    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        port = str(server.server_port)
        program = command[-1].replace(f":{own_port}/", f":{port}/") if own_port else command[-1]
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "METRICS_PORT": port}, capture_output=True, check=False,
        )  # fmt: skip
        server.shutdown()

    assert command[:3] == ["CMD", "python", "-c"]
    assert (done.returncode == 0) == (status == 200)
    assert asked == ["/readyz"]
    source = "api/routers/core/health.py" if own_port else "adapters/observability/probes.py"
    assert '"/readyz"' in (ROOT / source).read_text()


def test_containers_have_limits_and_no_privileges() -> None:
    for name, service in services().items():
        logs = cast("dict[str, dict[str, str]]", service["logging"])
        assert logs["options"].keys() == {"max-size", "max-file"}, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert "privileged" not in service, name
        assert service["mem_limit"], name
        assert service["pids_limit"], name
    assert [name for name, one in services().items() if "cap_add" in one] == ["postgres"]


@pytest.mark.parametrize("name", sorted(ours()))
def test_our_containers_write_only_to_volumes(name: str) -> None:
    service = ours()[name]
    assert service["read_only"] is True
    places = [one.partition(":")[0] for one in words(service, "tmpfs")]
    places += [one.partition(":")[2] for one in words(service, "volumes")]
    spool = interpolated(environment(service)["ERROR_SPOOL"], {})
    assert places == ["/tmp", spool]  # noqa: S108 - in the container


def test_an_upgrade_drains_each_process() -> None:
    drain = ServerSettings.model_fields["drain_s"].default
    for name, service in serving().items():
        grace = int(str(service["stop_grace_period"]).removesuffix("s"))
        # The API finishes within 35 s after its drain, and a worker within 45 s.
        assert grace >= max(drain + 35, 45), name
        assert "stop_signal" not in service, name


def test_images_are_named_with_a_tag_and_pinned_by_digest() -> None:
    images = [str(service["image"]) for service in services().values()]
    images += re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    for image in images:
        # owner/name:tag: a dot or a port before the slash would name a registry.
        name, _, digest = image.partition("@sha256:")
        assert re.fullmatch(r"([a-z0-9-]+/)?[a-z0-9-]+:[\w.-]+", name), image
        assert not name.endswith(":latest")
        # Our image is built from a pinned base.
        is_ours = name.startswith(f"{OUR_IMAGE}:")
        assert is_ours or re.fullmatch(r"[0-9a-f]{64}", digest), image


def test_temporal_is_the_version_that_the_tests_run_on() -> None:
    program = Path(sys.executable).parent / "temporal"
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"Server ([\d.]+), UI ([\d.]+)", said)
    assert version is not None
    names = (str(service["image"]).partition("@")[0] for service in services().values())
    tags = dict(name.split(":") for name in names)
    assert tags["temporalio/server"] == tags["temporalio/admin-tools"] == version[1]
    assert tags["temporalio/ui"] == version[2]


def test_temporal_is_tuned_as_the_embedded_one() -> None:
    document = read_yaml(compose_text())
    given = read_yaml(document["configs"]["temporal-dynamic"]["content"])
    assert {key: rule[0]["value"] for key, rule in given.items()} == TUNING


def test_services_wait_for_services_that_exist() -> None:
    for service in services().values():
        waits = cast("dict[str, dict[str, str]]", service.get("depends_on", {}))
        for other, how in waits.items():
            ready = "healthcheck" in services()[other]
            assert ready == (how["condition"] == "service_healthy")


def test_no_secret_stands_in_the_file() -> None:
    for name, service in services().items():
        for key, value in environment(service).items():
            if SECRET_NAME.search(key):
                assert VARIABLE.fullmatch(str(value)), f"{name}: {key}"
            for password in re.findall(r"://[^:@/\s]*:(.*)@", str(value)):
                assert VARIABLE.fullmatch(password), f"{name}: {key}"


@pytest.mark.parametrize("file", ["docker-compose.yml", ".env.example", "Dockerfile", "README.md"])
def test_nothing_looks_like_a_secret(file: str) -> None:
    text = re.sub(r"@sha256:[0-9a-f]{64}\b", "", (ROOT / file).read_text())
    assert SECRET_VALUE.findall(text) == []


# --- .env.example -------------------------------------------------------------------------------


def test_example_names_settings_and_what_compose_needs() -> None:
    asked = {match[1] for match in VARIABLE.finditer(compose_text())}
    assert sorted(example_names()) == sorted(SETTINGS | asked)


def test_example_leaves_to_fill_in_what_compose_requires() -> None:
    required = {m[1] for m in VARIABLE.finditer(compose_text()) if m[3] == "?"}
    assert set(example_values()) == required
    assert len(required) == 8
    assert "fill in the eight values that are required" in (ROOT / "README.md").read_text()
    assert required >= REQUIRED - {"DATABASE_URL", "TEMPORAL_ADDRESS"}

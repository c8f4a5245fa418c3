"""Processes that a secured Temporal rejects exit at once, with one sentence."""

import pytest

from adapters.seal import new_seal_key
from embedded.ports import free_port
from tests.support.core.command_line import cli, run
from tests.support.core.forks import ROOT, clean_environment
from tests.support.core.postgres import as_owner
from tests.support.core.temporal import TemporalServer
from tests.support.servers.secured_temporal import secured_temporal
from tests.support.servers.tls import certificate_authority

API_KEY = "a key of tests"


@pytest.mark.slow
@pytest.mark.parametrize("process", ["api", "worker"])
def test_a_refused_process_ends_with_a_sentence(
    temporal: TemporalServer, database_url: str, process: str
) -> None:
    with (
        certificate_authority() as authority,
        secured_temporal(temporal.address, authority, api_key=API_KEY) as address,
    ):
        env = {
            "DATABASE_URL": database_url,
            "TEMPORAL_ADDRESS": address,
            "TEMPORAL_TLS_SERVER_CA_CERT_PATH": str(authority.file),
            "TEMPORAL_API_KEY": "no key of tests",
            "SEAL_KEY": new_seal_key(),
        }
        if process == "api":
            done = cli("serve", "--port", str(free_port()), **env)
        else:
            command = (str(ROOT / "worker.py"), "--queue", "webhooks")
            done = run(*command, env=clean_environment(**env))

        assert done.returncode == 1
        assert "is TEMPORAL_API_KEY right?" in done.stderr
        assert "no key of tests" not in done.stderr
        assert "Traceback" not in done.stderr
        known = {**env, "DATABASE_URL": as_owner(database_url), "TEMPORAL_API_KEY": API_KEY}
        assert cli("migrate", **known).returncode == 0

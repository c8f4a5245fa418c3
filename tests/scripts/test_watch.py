"""make watch: which tests a change affects, and that they run."""

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, Final

import pytest

from scripts.watch import touched

ROOT: Final = Path(__file__).resolve().parents[2]
FILES: Final = {
    "settings.py": "",
    "domain/webhooks/signature.py": "",
    "domain/webhooks/retry.py": "",
    "store/webhooks/tables.py": "",
    "api/routers/webhooks/deliveries.py": "",
    "demo/shop.py": "",
    "bench/cpu.py": "",
    "tests/test_settings.py": "from settings import Settings\n",
    "tests/support/tenants/shop.py": "",
    "tests/domain/webhooks/test_signature.py": "from domain.webhooks.signature import sign\n",
    "tests/domain/webhooks/test_other.py": "import domain.webhooks.signature\n",
    "tests/domain/runs/test_run.py": "from tests.support.tenants import shop\n",
    "tests/store/runs/test_run.py": "from demo.shop import open_shop\n",
    "tests/demo/test_shop.py": "from demo.shop import open_shop\n",
    "tests/api/webhooks/test_deliveries.py": "from (",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "tests"),
    [
        ("tests/domain/runs/test_run.py", ["tests/domain/runs/test_run.py"]),
        (
            "domain/webhooks/signature.py",
            [
                "tests/domain/webhooks/test_other.py",
                "tests/domain/webhooks/test_signature.py",
            ],
        ),
        ("settings.py", ["tests/test_settings.py"]),
        ("tests/support/tenants/shop.py", ["tests/domain/runs/test_run.py"]),
        # Imported by no test: the test folder with the same path, noun or room.
        ("domain/webhooks/retry.py", ["tests/domain/webhooks"]),
        ("domain/webhooks/words.json", ["tests/domain/webhooks"]),
        ("api/routers/webhooks/deliveries.py", ["tests/api/webhooks"]),
        ("store/webhooks/tables.py", ["tests/store"]),
        ("tests/domain/webhooks/conftest.py", ["tests/domain/webhooks"]),
        # The tests of the same room come first.
        ("demo/shop.py", ["tests/demo/test_shop.py", "tests/store/runs/test_run.py"]),
        # Only the whole test folder mirrors it, or none.
        ("bench/cpu.py", []),
        ("tests/conftest.py", []),
        ("worker.py", []),
    ],
)
def test_what_a_change_touches(project: Path, changed: str, tests: list[str]) -> None:
    assert list(map(str, touched({Path(changed)}, project))) == tests


def test_several_changes_touch_what_each_of_them_does(project: Path) -> None:
    changed = {Path("settings.py"), Path("domain/webhooks/retry.py")}

    assert list(map(str, touched(changed, project))) == [
        "tests/domain/webhooks",
        "tests/test_settings.py",
    ]


def _read(output: IO[str], lines: "queue.Queue[str]") -> None:
    for line in output:
        lines.put(line)


def test_a_change_runs_its_tests_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    test = tests / "test_one.py"
    watching = subprocess.Popen(
        [sys.executable, str(ROOT / "scripts" / "watch.py")],
        cwd=tmp_path,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # If the parent ignores Ctrl-C, a child would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    assert watching.stdout
    lines: queue.Queue[str] = queue.Queue()
    reader = threading.Thread(target=_read, args=(watching.stdout, lines))
    reader.start()
    try:
        deadline = time.monotonic() + 30
        said = ""
        while "1 passed" not in said and time.monotonic() < deadline:
            # Written again until it is detected, because nothing signals that watching has begun.
            test.write_text("def test_it() -> None:\n    assert 1 + 1 == 2\n")
            try:
                said += lines.get(timeout=1)
            except queue.Empty:
                continue
        assert "$ pytest -q -x tests/test_one.py" in said
        assert "1 passed" in said
        watching.send_signal(signal.SIGINT)
        assert watching.wait(timeout=20) == 0
    finally:
        watching.kill()
        watching.wait()
        reader.join()

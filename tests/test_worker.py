"""The workers' processes, before they work."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_the_webhook_worker_loads_neither_brain_nor_mail() -> None:
    program = (
        "import sys, worker\n"
        "worker.working_on('webhooks')\n"
        "heavy = {'numpy', 'aiosmtplib', 'pydantic_ai', 'fastapi'} & set(sys.modules)\n"
        "brains = [name for name in sys.modules if name.startswith('adapters.brain')]\n"
        "sys.exit(str([heavy, brains]) if heavy or brains else 0)\n"
    )
    tried = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert tried.returncode == 0, tried.stderr[-2000:]


def test_a_queue_that_nobody_works_on_is_refused() -> None:
    tried = subprocess.run(
        [sys.executable, "cli.py", "worker", "--queue", "mail"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert tried.returncode == 1
    assert "engine or webhooks" in tried.stderr

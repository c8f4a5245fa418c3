import subprocess
import sys
from typing import Final

from tests.support.core.forks import ROOT

# The states are collected in a new process, because objects that are frozen here would stay.
_PROGRAM: Final = """
import gc
from adapters.processes.module_loading import loading_modules
{before}
try:
    with loading_modules():
        assert not gc.isenabled()
        import argparse
        {within}
except ImportError:
    pass
assert gc.is_tracked(vars(argparse)) and gc.get_freeze_count() > len(vars(argparse))
print(gc.isenabled())
"""


def _enabled_after(*, before: str = "", within: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(before=before, within=within)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


def test_collections_pause_and_skip_what_was_loaded() -> None:
    assert _enabled_after() == "True"


def test_collections_resume_after_a_failed_import() -> None:
    assert _enabled_after(within="import no_such_module") == "True"


def test_a_process_without_collections_stays_without_them() -> None:
    assert _enabled_after(before="gc.disable()") == "False"

"""`make run` in the background with its tour, and its output."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from embedded.ports import free_port
from tests.support.core.command_line import dev_stack


@dataclass(frozen=True)
class DemoStack:
    """A running demo stack. `tour` is the output before the line `ready`."""

    data: Path
    url: str
    storefront: str
    tour: str


@contextmanager
def demo_stack(data: Path) -> Iterator[DemoStack]:
    with dev_stack(data, "--port", str(free_port())) as process:
        printed = _printed(process)
        named = dict(line.split(" ", 1) for line in printed if line.startswith(_NAMED))
        yield DemoStack(data, named["ready"], named["storefront"], "\n".join(printed))


_NAMED = ("storefront http", "ready http")


def _printed(process: "subprocess.Popen[str]") -> list[str]:
    """Return the output up to the line `ready`. Fail with the errors if that line never appears."""
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line.rstrip("\n"))
        if line.startswith("ready "):
            return lines
    assert process.stderr is not None
    raise AssertionError(f"dev ended without serving:\n{process.stderr.read()}")

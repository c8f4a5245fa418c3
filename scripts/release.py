"""Build what a release publishes into build/release/: `make release`.

The folder then contains the Python wheel, the npm tarball, the Helm chart, the release notes and a
list of SHA-256 digests. The container image is built by `.github/workflows/release.yml` because it
needs a container engine. Nothing is published from here.
"""

import hashlib
import json
import re
import shutil
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import yaml

from scripts import sdk
from scripts.build_tools import ROOT, BuildFailed, run

RELEASE: Final = ROOT / "build" / "release"
_CHART: Final = ROOT / "deploy" / "helm"
_OUR_HELM: Final = ROOT / ".tools" / "helm"


def versions() -> dict[str, str]:
    """Return the version in each file that states one."""
    chart = yaml.safe_load((_CHART / "Chart.yaml").read_text())
    package = json.loads((ROOT / "sdk" / "typescript" / "package.json").read_text())
    return {
        "pyproject.toml": _project_version(ROOT / "pyproject.toml"),
        "sdk/python/pyproject.toml": _project_version(ROOT / "sdk" / "python" / "pyproject.toml"),
        "sdk/typescript/package.json": str(package["version"]),
        "deploy/helm/Chart.yaml, version": str(chart["version"]),
        "deploy/helm/Chart.yaml, appVersion": str(chart["appVersion"]),
        "Dockerfile": _image_version(),
    }


def _project_version(file: Path) -> str:
    return str(tomllib.loads(file.read_text())["project"]["version"])


def _image_version() -> str:
    stated = re.findall(r"^ARG VERSION=(.+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    return str(stated[-1])


def the_version() -> str:
    """Return the version of this release. Raises BuildFailed if two files state different
    versions."""
    found = versions()
    if len(set(found.values())) > 1:
        stated = ", ".join(f"{file}: {version}" for file, version in found.items())
        raise BuildFailed(f"the versions differ: {stated}")
    return next(iter(found.values()))


def notes(changelog: str, version: str) -> str:
    """Return the changelog's section about a version. Raises BuildFailed if there is none."""
    start = re.search(
        rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d\n", changelog, re.MULTILINE
    )
    if start is None:
        raise BuildFailed(f'CHANGELOG.md has no section "## [{version}] - DATE"')
    section, _, _ = changelog[start.end() :].partition("\n## ")
    return section.strip() + "\n"


def build() -> Path:
    """Build the files of the release, and return their folder. Raises BuildFailed."""
    version = the_version()
    text = notes((ROOT / "CHANGELOG.md").read_text(), version)
    helm = str(_OUR_HELM) if _OUR_HELM.exists() else shutil.which("helm")
    if helm is None:
        raise BuildFailed("Helm is missing: run scripts/system_packages.sh")
    shutil.rmtree(RELEASE, ignore_errors=True)
    RELEASE.mkdir(parents=True)
    for package in sdk.build().iterdir():
        shutil.copy2(package, RELEASE)
    run(helm, "package", str(_CHART), "--destination", str(RELEASE))
    (RELEASE / "NOTES.md").write_text(text)
    files = sorted(RELEASE.iterdir())
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    (RELEASE / "SHA256SUMS").write_text("".join(sums))
    return RELEASE


def main(arguments: Sequence[str]) -> None:
    """Build the release, and print the names of its files. With the argument `version`, print only
    the version."""
    try:
        if list(arguments) == ["version"]:
            print(the_version())
            return
        folder = build()
    except BuildFailed as error:
        sys.exit(f"error: {error}")
    for file in sorted(folder.iterdir()):
        print(file.relative_to(ROOT))


if __name__ == "__main__":
    main(sys.argv[1:])

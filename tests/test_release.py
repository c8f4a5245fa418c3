"""`make release`: one version in all files, notes from the changelog, and complete files."""

import hashlib
import tarfile
import zipfile

import pytest
import yaml

from scripts import release
from scripts.build_tools import BuildFailed
from tests.support.core.forks import ROOT
from tests.test_helm import needs_helm

CHANGELOG = """# Changelog

## [Unreleased]

- Later.

## [1.2.0] - 2026-12-01

- New.

## [1.1.0] - 2026-11-01

- Old.
"""


def test_all_files_state_the_same_version() -> None:
    assert set(release.versions().values()) == {release.the_version()}


def test_the_notes_are_the_section_of_the_version() -> None:
    assert release.notes(CHANGELOG, "1.2.0") == "- New.\n"
    assert release.notes(CHANGELOG, "1.1.0") == "- Old.\n"


@pytest.mark.parametrize("version", ["1.3.0", "1.2", "Unreleased"])
def test_a_version_without_a_section_is_refused(version: str) -> None:
    with pytest.raises(BuildFailed, match="no section"):
        release.notes(CHANGELOG, version)


def test_the_changelog_has_notes_of_this_version() -> None:
    assert release.notes((ROOT / "CHANGELOG.md").read_text(), release.the_version())


@pytest.mark.slow
@pytest.mark.alone
@needs_helm
def test_the_files_of_a_release() -> None:
    folder, version = release.build(), release.the_version()

    files = {file.name: file for file in folder.iterdir()}
    sums = dict(line.split()[::-1] for line in files.pop("SHA256SUMS").read_text().splitlines())
    assert sums == {
        name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in files.items()
    }
    wheel, tarball, chart = sorted(name for name in files if name != "NOTES.md")[::-1]
    assert wheel.startswith(f"support_engine_client-{version}-")
    modules = zipfile.ZipFile(files[wheel]).namelist()
    assert "support_engine/client.py" in modules
    assert tarball == f"support-engine-client-{version}.tgz"
    with tarfile.open(files[chart]) as packed:
        (described,) = (one for one in packed.getnames() if one.endswith("/Chart.yaml"))
        file = packed.extractfile(described)
        assert file is not None
        assert yaml.safe_load(file)["appVersion"] == version

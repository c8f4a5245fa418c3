"""Third-party files that pages load match CHECKSUMS."""

import re
from pathlib import Path

import api.dashboard
from scripts.vendor import CHECKSUMS, FILES, ICONS, MADE, VENDOR, digest_line, places_of, sprite_of

_TEMPLATES = Path(api.dashboard.__file__).parent / "templates"
_SQUARE = '<svg width="24">\n  <rect width="2" />\n</svg>'


def test_the_vendored_files_are_those_of_the_checksums() -> None:
    lines = CHECKSUMS.read_text().splitlines()
    packages, digests = lines[: len(FILES)], lines[len(FILES) :]
    names = [*(name for files in FILES.values() for name in files), *MADE]

    for package, line in zip(FILES, packages, strict=True):
        assert line.startswith(f"{package} sha512-")
    assert digests == [digest_line(VENDOR / name) for name in names]
    assert {file.name for file in VENDOR.iterdir()} == {*names, CHECKSUMS.name}


def test_icons_stand_side_by_side() -> None:
    sprite = sprite_of({"a": _SQUARE, "b": _SQUARE})

    assert 'viewBox="0 0 48 24"' in sprite
    assert '<g transform="translate(24)"><rect width="2"/></g>' in sprite
    assert places_of(("a", "b")).split() == [
        "@layer", "icons{", ":root{--icons:2}", ".i-a{--place:0}", ".i-b{--place:1}", "}",
    ]  # fmt: skip


def test_the_stylesheet_places_the_icons_of_the_sprite() -> None:
    assert (VENDOR / "icons.css").read_text() == places_of(ICONS)


def test_templates_name_only_icons_of_the_sprite() -> None:
    source = "".join(file.read_text() for file in _TEMPLATES.rglob("*.html"))
    named = {*re.findall(r'\bicon\("([a-z-]+)"', source), *re.findall(r"\bi-([a-z-]+)", source)}

    assert named
    assert named - {*ICONS} == set()

"""Download the third-party files that pages load into api/dashboard/static/vendor/:
`.venv/bin/python -m scripts.vendor`.

It uses npm. CHECKSUMS lists the versions and digests, which a test compares with the files. The
icons in ICONS become one sprite, icons.svg, with positions in icons.css.
"""

import hashlib
import json
import re
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

VENDOR: Final = Path(__file__).parents[1] / "api" / "dashboard" / "static" / "vendor"
CHECKSUMS: Final = VENDOR / "CHECKSUMS"
HTMX: Final = "htmx.org@4.0.1"
INTER: Final = "@fontsource-variable/inter@5.3.0"
LUCIDE: Final = "lucide-static@1.62.0"
# Each package's files: our file names, and the paths in the package.
FILES: Final[Mapping[str, Mapping[str, str]]] = {
    HTMX: {
        "htmx.min.js": "package/dist/htmx.min.js",
        "hx-csp.min.js": "package/dist/ext/hx-csp.min.js",
        "htmx.LICENSE": "package/LICENSE",
    },
    INTER: {
        # This font file contains only Latin letters, in all weights. They suffice for French and
        # English.
        "inter.woff2": "package/files/inter-latin-wght-normal.woff2",
        "inter.LICENSE": "package/LICENSE",
    },
    LUCIDE: {"lucide.LICENSE": "package/LICENSE"},
}
# The sprite's icons, in order of position.
ICONS: Final = (
    "activity",
    "arrow-left",
    "arrow-right",
    "bell",
    "book-open",
    "bot",
    "chart-column",
    "check",
    "chevron-down",
    "chevron-right",
    "chevrons-up-down",
    "circle-alert",
    "circle-check",
    "clock",
    "code-xml",
    "copy",
    "credit-card",
    "download",
    "euro",
    "external-link",
    "file-text",
    "flask-conical",
    "history",
    "house",
    "inbox",
    "info",
    "key-round",
    "life-buoy",
    "list-filter",
    "lock",
    "log-out",
    "mail",
    "menu",
    "message-circle",
    "pencil",
    "plug",
    "plus",
    "search",
    "send",
    "settings",
    "shield-check",
    "sparkles",
    "store",
    "triangle-alert",
    "user",
    "users",
    "webhook",
    "x",
)
MADE: Final = ("icons.svg", "icons.css")
_SIDE: Final = 24  # Lucide draws each icon on a square with this side length.
_DRAWING: Final = re.compile(r"<svg\b[^>]*>(.*)</svg>", re.DOTALL)


def digest_line(file: Path) -> str:
    return f"sha256 {hashlib.sha256(file.read_bytes()).hexdigest()} {file.name}"


def sprite_of(drawings: Mapping[str, str]) -> str:
    """Return an SVG image with the icons side by side, for use as a mask. `drawings` are their SVG
    files. Raises RuntimeError for a file that is not an SVG image."""
    places = []
    for place, (name, drawing) in enumerate(drawings.items()):
        found = _DRAWING.search(drawing)
        if found is None:
            raise RuntimeError(f"{name} is not an SVG image")
        shapes = re.sub(r"\s*\n\s*", "", found.group(1)).replace(" />", "/>")
        places.append(f'<g transform="translate({place * _SIDE})">{shapes}</g>')
    width = len(places) * _SIDE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_SIDE}" '
        f'viewBox="0 0 {width} {_SIDE}" fill="none" stroke="#000" stroke-width="1.75" '
        f'stroke-linecap="round" stroke-linejoin="round">\n' + "\n".join(places) + "\n</svg>\n"
    )


def places_of(icons: tuple[str, ...]) -> str:
    """Return the style sheet with the number of icons and each icon's position."""
    rules = "".join(f".i-{name}{{--place:{place}}}\n" for place, name in enumerate(icons))
    return f"@layer icons{{\n:root{{--icons:{len(icons)}}}\n{rules}}}\n"


def _fetch(package: str, folder: str) -> tuple[Path, str]:
    """Download a package. Return its archive and its npm digest."""
    packed = subprocess.run(
        [shutil.which("npm") or "npm", "pack", "--json", package],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    (packed_package,) = json.loads(packed.stdout)
    return Path(folder) / packed_package["filename"], packed_package["integrity"]


def _read(archive: tarfile.TarFile, member: str) -> bytes:
    content = archive.extractfile(member)
    if content is None:
        raise RuntimeError(f"the package has no {member}")
    return content.read()


def main() -> None:
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for package, files in FILES.items():
            file, integrity = _fetch(package, folder)
            lines.append(f"{package} {integrity}")
            with tarfile.open(file) as archive:
                for name, member in files.items():
                    (VENDOR / name).write_bytes(_read(archive, member))
                if package == LUCIDE:
                    drawings = {
                        icon: _read(archive, f"package/icons/{icon}.svg").decode() for icon in ICONS
                    }
                    (VENDOR / "icons.svg").write_text(sprite_of(drawings))
                    (VENDOR / "icons.css").write_text(places_of(ICONS))
    names = [*(name for files in FILES.values() for name in files), *MADE]
    lines += [digest_line(VENDOR / name) for name in names]
    CHECKSUMS.write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()

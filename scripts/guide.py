"""Build the documentation site from docs/ into build/docs/site/: `make docs`.

The API serves the site at `/docs/guide/`. The output is rebuilt only if one of the inputs has
changed. The Markdown of each page is next to the page, and `llms.txt` lists the pages for language
models.
"""

import base64
import hashlib
import json
import re
import shutil
import sys
import time
import tomllib
from pathlib import Path
from typing import Final

from scripts.build_tools import ROOT, BuildFailed, digest, python_tools, run
from scripts.guide_pages import for_generator, llms, page, places, unlisted
from scripts.guide_reference import INDEX, Reference

BUILD: Final = ROOT / "build" / "docs"
SITE: Final = BUILD / "site"
CONFIG: Final = Path(__file__).with_name("guide.toml")
_STYLES: Final = Path(__file__).with_name("guide.css")
MANIFEST: Final = "manifest.json"
_SOURCE: Final = BUILD / "source"
_STAMP: Final = BUILD / "stamp"
_REQUIREMENTS: Final = ROOT / "requirements" / "docs.txt"
_DOCUMENT: Final = ROOT / "docs" / "openapi.json"
_INLINE: Final = re.compile(r"<script>(.*?)</script>", re.DOTALL)
# The search creates a style element from a long text in its script.
_STYLES_IN_SCRIPT: Final = re.compile(r"='([^'\\\n]*\{[^'\\\n]{1000,})'")


def build() -> Path:
    """Build the site unless it is current, and return its folder. Raises BuildFailed."""
    scripts = [*Path(__file__).parent.glob("guide*"), Path(__file__).with_name("build_tools.py")]
    current = digest([*(ROOT / one for one in places()), *scripts, _REQUIREMENTS])
    if _STAMP.is_file() and _STAMP.read_text() == current:
        return SITE
    started = time.monotonic()
    _STAMP.unlink(missing_ok=True)
    for folder in (SITE, _SOURCE):
        shutil.rmtree(folder, ignore_errors=True)
    programs = python_tools(BUILD / "tools", _REQUIREMENTS)
    pages = _write_source()
    run(str(programs / "zensical"), "build", "--strict", folder=_SOURCE)
    shutil.move(_SOURCE / "site", SITE)
    # Its links are absolute, and the site has no fixed address.
    for absolute in ("404.html", "sitemap.xml"):
        (SITE / absolute).unlink()
    for place, text in pages.items():
        (SITE / place).write_text(text, encoding="utf-8")
    config = tomllib.loads((_SOURCE / "zensical.toml").read_text())["project"]
    (SITE / "llms.txt").write_text(llms(config, pages), encoding="utf-8")
    _write_manifest()
    _STAMP.write_text(current)
    print(f"docs: built in {time.monotonic() - started:.0f} seconds", file=sys.stderr)
    return SITE


def _write_source() -> dict[str, str]:
    """Write the generator's input, and return the Markdown of each page by its place."""
    known = places()
    reference = Reference(json.loads(_DOCUMENT.read_text(encoding="utf-8"))).pages()
    pages = {known[one]: page(one, known) for one in known if one.endswith(".md")} | reference
    listed = ", ".join(map(json.dumps, reference))
    config = CONFIG.read_text(encoding="utf-8").replace(json.dumps(INDEX), listed)
    if wrong := unlisted(tomllib.loads(config)["project"], list(pages)):
        raise BuildFailed(f"{CONFIG.name} must list each page once: {', '.join(sorted(wrong))}")
    for source, place in known.items():
        target = _SOURCE / "docs" / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if place not in pages:
            shutil.copyfile(ROOT / source, target)
    for place, text in pages.items():
        target = _SOURCE / "docs" / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(for_generator(text), encoding="utf-8")
    shutil.copyfile(_STYLES, _SOURCE / "docs" / _STYLES.name)
    (_SOURCE / "zensical.toml").write_text(config, encoding="utf-8")
    return pages


def _write_manifest() -> None:
    """List the files that the API may serve, and the hashes of the inline scripts and styles that
    its Content-Security-Policy allows."""
    files = sorted(str(one.relative_to(SITE)) for one in SITE.rglob("*") if one.is_file())
    scripts = _hashes(_INLINE, "*.html")
    styles = _hashes(_STYLES_IN_SCRIPT, "*.js")
    (SITE / MANIFEST).write_text(json.dumps({"files": files, "scripts": scripts, "styles": styles}))


def _hashes(inline: re.Pattern[str], files: str) -> list[str]:
    """Return the hashes of the inline texts in files, in the format of a
    Content-Security-Policy."""
    texts = {
        text
        for file in SITE.rglob(files)
        for text in inline.findall(file.read_text(encoding="utf-8"))
    }
    digests = (hashlib.sha256(one.encode()).digest() for one in texts)
    return sorted(f"sha256-{base64.b64encode(one).decode()}" for one in digests)


if __name__ == "__main__":
    try:
        print(build())
    except BuildFailed as failure:
        sys.exit(f"error: {failure}")

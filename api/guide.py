"""The documentation site, which `make docs` builds (`scripts/guide.py`)."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypedDict, cast

import orjson

GUIDE: Final = Path(__file__).parents[1] / "build" / "docs" / "site"

_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".xml": "application/xml",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}
_UNKNOWN_TYPE: Final = "application/octet-stream"
# The site's script runs a worker for the search. Of the inline scripts and styles, only the
# generator's are allowed.
_POLICY: Final = (
    "default-src 'none'; style-src 'self' {styles}; img-src 'self' data:; font-src 'self'; "
    "script-src 'self' {scripts}; connect-src 'self'; worker-src 'self'; "
    "base-uri 'none'; frame-ancestors 'none'; form-action 'none'"
)


class _Manifest(TypedDict):
    files: list[str]
    scripts: list[str]
    styles: list[str]


@dataclass(frozen=True, slots=True)
class GuideFile:
    media_type: str
    content: bytes
    policy: str


@dataclass(frozen=True, slots=True)
class _Site:
    """A built site. `built` is its manifest's modification time. `read` contains the files
    requested so far."""

    built: int
    files: frozenset[str]
    policy: str
    read: dict[str, bytes] = field(default_factory=dict)


class Guide:
    """The site in a folder, which may be built or replaced at any time. All responses share a
    file's copy, so that slow readers do not exhaust memory."""

    def __init__(self, folder: Path = GUIDE) -> None:
        self._folder = folder
        self._site: _Site | None = None

    @property
    def is_built(self) -> bool:
        """Return True if the site has been built."""
        return (self._folder / "manifest.json").is_file()

    def file(self, path: str) -> GuideFile | None:
        """Return a file of the site, or None. Blocks during the read.

        `path` is relative, and is empty or ends with a slash for an index page. Only listed files
        are read, so no path leads outside. Raises FileNotFoundError for a site that is not built.
        """
        site = self._current()
        if not path or path.endswith("/"):
            path += "index.html"
        if path not in site.files:
            return None
        content = site.read.get(path)
        if content is None:
            content = site.read.setdefault(path, (self._folder / path).read_bytes())
        media_type = _TYPES.get(Path(path).suffix, _UNKNOWN_TYPE)
        return GuideFile(media_type=media_type, content=content, policy=site.policy)

    def _current(self) -> _Site:
        manifest = self._folder / "manifest.json"
        built = manifest.stat().st_mtime_ns
        site = self._site
        if site is None or site.built != built:
            said = cast("_Manifest", orjson.loads(manifest.read_bytes()))
            policy = _POLICY.format(
                scripts=_quoted(said["scripts"]), styles=_quoted(said["styles"])
            )
            site = self._site = _Site(built, frozenset(said["files"]), policy)
        return site


def _quoted(hashes: list[str]) -> str:
    return " ".join(f"'{one}'" for one in hashes)

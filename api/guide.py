"""The documentation site, which `make docs` builds (`scripts/guide.py`)."""

from dataclasses import dataclass
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


class Guide:
    """The site in a folder. It may be built or replaced while the process runs."""

    def __init__(self, folder: Path = GUIDE) -> None:
        self._folder = folder

    def file(self, path: str) -> GuideFile | None:
        """Return a file of the site, or None if the site has no such file. Blocks during the read.

        `path`: relative to the site; empty or ending in a slash for an index page. Only listed
        files are read, so that no path leads outside the site. Raises FileNotFoundError if the site
        has not been built."""
        manifest = cast("_Manifest", orjson.loads((self._folder / "manifest.json").read_bytes()))
        if not path or path.endswith("/"):
            path += "index.html"
        if path not in manifest["files"]:
            return None
        return GuideFile(
            media_type=_TYPES.get(Path(path).suffix, _UNKNOWN_TYPE),
            content=(self._folder / path).read_bytes(),
            policy=_POLICY.format(
                scripts=_quoted(manifest["scripts"]), styles=_quoted(manifest["styles"])
            ),
        )


def _quoted(hashes: list[str]) -> str:
    return " ".join(f"'{one}'" for one in hashes)

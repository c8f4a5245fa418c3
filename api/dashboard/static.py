"""Static files for the pages. A file's URL changes with its content."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

STATIC: Final = "/app/static"

_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
_FOLDER: Final = Path(__file__).with_name("static")


@dataclass(frozen=True, slots=True)
class StaticFile:
    media_type: str
    content: bytes


class StaticFiles:
    """The static files for the pages, loaded from disk once. `version` is a digest of all files."""

    def __init__(self) -> None:
        self.files = {
            file.name: StaticFile(_TYPES[file.suffix], file.read_bytes())
            for file in sorted(_FOLDER.rglob("*"))
            if file.suffix in _TYPES
        }
        together = b"".join(file.content for file in self.files.values())
        self.version = hashlib.sha256(together).hexdigest()[:12]

    def url(self, name: str) -> str:
        """Return the URL of a file, which includes the version. Raises KeyError if the file does
        not exist."""
        self.files[name]
        return f"{STATIC}/{self.version}/{name}"

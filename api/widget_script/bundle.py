"""Bundle the script's parts into the file that browsers load. They share one function scope: later
parts see earlier ones' names, and the page sees none."""

import gzip
import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

_HERE: Final = Path(__file__).parent
_STYLE: Final = "style.css"
_PARTS: Final = (
    "words.js",
    "store.js",
    "wire.js",
    "dom.js",
    "verify.js",
    "rating.js",
    "panel.js",
    "outbox.js",
    "session.js",
    "chat.js",
    "start.js",
)
_SEPARATOR: Final = re.compile(r" ?([{};]) ?|([:,]) ")
_GOES_ON: Final = ("{", "(", "[", ",", ";")
_COMMENT: Final = ("//", "/*", "*")


@dataclass(frozen=True, slots=True)
class WidgetScript:
    """The bundled script. `tag` is the ETag, a digest of the content."""

    plain: bytes
    zipped: bytes
    tag: str

    @classmethod
    def read(cls) -> Self:
        parts = ((_HERE / name).read_text(encoding="utf-8") for name in _PARTS)
        plain = joined((_HERE / _STYLE).read_text(encoding="utf-8"), parts).encode()
        return cls(
            plain=plain,
            # The compressed file contains no timestamp, so that the same content yields the same
            # bytes on every instance.
            zipped=gzip.compress(plain, mtime=0),
            tag=hashlib.sha256(plain).hexdigest()[:32],
        )


def joined(style: str, parts: Iterable[str]) -> str:
    """Return the parts as one immediately invoked function, so that the page cannot access their
    names. Insignificant whitespace is removed from the style sheet."""
    packed = _SEPARATOR.sub(r"\1\2", " ".join(style.split())).replace(";}", "}")
    declared = f"const STYLE = {json.dumps(packed)};\n"
    return f'(() => {{\n"use strict";\n{declared}{"".join(map(_lean, parts))}}})();\n'


def _lean(part: str) -> str:
    """Return the part without indentation, comment lines and needless line breaks. The result is a
    third smaller. String literals must be on one line. A line break that may end a statement or
    comment is kept."""
    lines = (line.strip() for line in part.splitlines())
    code = [line for line in lines if line and not line.startswith(_COMMENT)]
    return "".join(
        line if line.endswith(_GOES_ON) and "//" not in line else f"{line}\n" for line in code
    )

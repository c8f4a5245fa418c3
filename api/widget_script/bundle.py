"""The script's parts, joined into the one that browsers load.

No part is a program of its own: each sees what the parts before it have named, and a page sees none
of it.
"""

import gzip
import hashlib
import json
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
_COMMENT: Final = ("//", "/*", "*")


@dataclass(frozen=True, slots=True)
class WidgetScript:
    """`tag`: of the content, and another one after each change of it."""

    plain: bytes
    zipped: bytes
    tag: str

    @classmethod
    def read(cls) -> Self:
        parts = ((_HERE / name).read_text(encoding="utf-8") for name in _PARTS)
        plain = joined((_HERE / _STYLE).read_text(encoding="utf-8"), parts).encode()
        return cls(
            plain=plain,
            # Without a time: the same content has the same bytes on every instance.
            zipped=gzip.compress(plain, mtime=0),
            tag=hashlib.sha256(plain).hexdigest()[:32],
        )


def joined(style: str, parts: Iterable[str]) -> str:
    """One function, called at once. Its names are no names of the page's."""
    declared = f"const STYLE = {json.dumps(style)};\n"
    return f'(() => {{\n"use strict";\n{declared}{"".join(map(_lean, parts))}}})();\n'


def _lean(part: str) -> str:
    """Without indentation and the lines that are comments: a third of what is sent. No string of a
    part goes over several lines."""
    lines = (line.strip() for line in part.splitlines())
    return "".join(f"{line}\n" for line in lines if line and not line.startswith(_COMMENT))

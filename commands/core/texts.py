"""Long texts passed as an option, as a file or on standard input."""

import sys
from pathlib import Path
from typing import Final

from domain.core.errors import InvalidInput

MAX_BYTES: Final = 1 << 20
FILE_HELP: Final = "Read the text from a file; - for standard input."


def content_of(file: Path, at_most: int = MAX_BYTES) -> bytes:
    """Return the bytes of a file, or of standard input for `-`. Raises InvalidInput if the file
    cannot be read or is larger than `at_most` bytes."""
    try:
        if str(file) == "-":
            content = sys.stdin.buffer.read(at_most + 1)
        else:
            with file.open("rb") as opened:
                content = opened.read(at_most + 1)
    except OSError as error:
        raise InvalidInput(f"{file}: {(error.strerror or 'cannot be read').lower()}") from None
    if len(content) > at_most:
        raise InvalidInput(f"{file}: more than {at_most} bytes")
    return content


def text_of(given: str | None, file: Path | None, option: str) -> str | None:
    """Return the text of an option, or of its file in `--OPTION-file` without a trailing line
    break, or None. Raises InvalidInput."""
    if file is None:
        return given
    if given is not None:
        raise InvalidInput(f"{option} or {option}-file, not both")
    try:
        return content_of(file).decode("utf-8-sig").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise InvalidInput(f"{file}: UTF-8 expected") from None


def required_text(given: str | None, file: Path | None, option: str) -> str:
    """Return the text from an option or its file, as `text_of` does. Raises InvalidInput if the
    user passed no text."""
    text = text_of(given, file, option)
    if text is None:
        raise InvalidInput(f"{option} or {option}-file is needed")
    return text

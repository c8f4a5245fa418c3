"""Long texts from an option, a file or standard input."""

import io
import sys
from pathlib import Path

import pytest

from commands.core.texts import MAX_BYTES, content_of, required_text, text_of
from domain.core.errors import InvalidInput


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "body.txt"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Été\n\nBonjour.\n".encode(), "Été\n\nBonjour."),
        (b"\xef\xbb\xbfHi.\r\n", "Hi."),
        (b"two\n\n", "two\n"),
        (b"", ""),
    ],
)
def test_a_file_is_taken_as_it_is_but_for_its_last_line_break(
    file: Path, content: bytes, text: str
) -> None:
    file.write_bytes(content)
    assert text_of(None, file, "--body") == text


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("à\n".encode())))
    assert required_text(None, Path("-"), "--body") == "à"


def test_the_option_and_nothing() -> None:
    assert text_of("x\n", None, "--body") == "x\n"
    assert text_of(None, None, "--body") is None


@pytest.mark.parametrize("content", [b"\xff\xfe", b"x" * (MAX_BYTES + 1)])
def test_what_is_refused(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(InvalidInput):
        text_of(None, file, "--body")


def test_refusals_name_the_option(file: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="--body or --body-file, not both"):
        text_of("x", file, "--body")
    with pytest.raises(InvalidInput, match="--body or --body-file is needed"):
        required_text(None, None, "--body")
    with pytest.raises(InvalidInput, match="no such file"):
        content_of(file)
    with pytest.raises(InvalidInput, match="is a directory"):
        content_of(tmp_path)

"""The pages' texts: the same keys in both languages, and one text for every error."""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import api.dashboard
from api.dashboard.pages import LANGUAGES
from tests.support.core.every_error import all_errors

WORDS = Path(api.dashboard.__file__).parent / "words"
FILES = sorted(path.name for path in (WORDS / "en").glob("*.toml"))


def _words(language: str, file: str) -> dict[str, object]:
    return tomllib.loads((WORDS / language / file).read_text())


def _flat(words: Mapping[str, object], before: str = "") -> Iterator[tuple[str, str]]:
    for key, value in words.items():
        name = f"{before}{key}"
        if isinstance(value, dict):
            yield from _flat(value, f"{name}.")
        else:
            yield name, str(value)


@pytest.mark.parametrize("file", FILES)
def test_both_languages_say_the_same_things(file: str) -> None:
    said = {language: dict(_flat(_words(language, file))) for language in LANGUAGES}

    assert said["fr"].keys() == said["en"].keys()
    for key, english in said["en"].items():
        french = said["fr"][key]
        assert french.strip(), key
        assert english.strip(), key
        assert sorted(_named(french)) == sorted(_named(english)), key


def _named(text: str) -> list[str]:
    """Return the placeholders of a text."""
    return [part.partition("}")[0] for part in text.split("{")[1:]]


def test_both_languages_have_the_same_files() -> None:
    assert sorted(path.name for path in (WORDS / "fr").glob("*.toml")) == FILES


def test_words_of_errors_are_of_errors_that_exist() -> None:
    codes = {error.code for error in all_errors()} | {"other"}
    said = {
        key for file in FILES for key, _ in _flat(_as_table(_words("en", file).get("errors", {})))
    }

    assert said
    assert said - codes == set()


def _as_table(words: object) -> Mapping[str, object]:
    assert isinstance(words, dict)
    return words

"""Check the spelling of prose and user-facing texts in English and French.

English words are compared with the known misspellings of `codespell`. French words must occur in
the French dictionary of `pyspellchecker`. `spelling.toml` lists the accepted words.
"""

import gzip
import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import yaml

from scripts.prose_texts import ProseText

_ACCEPTED: Final = Path(__file__).with_name("spelling.toml")
_MISSPELLINGS: Final = ("codespell_lib", "data/dictionary.txt")
_FRENCH: Final = ("spellchecker", "resources/fr.json.gz")

_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_FRENCH_WORD: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
# Placeholders, addresses and markup in a user-facing text.
_NO_WORDS: Final = re.compile(r"\{[^}]*\}|<[^>]*>|`[^`]*`|\S+@\S+|\w+://\S+|(?:\w+[./_])+\w+")
_TOML_TEXT: Final = re.compile(r"\"(?:\\.|[^\"\\])*\"")
_FRENCH_DOCUMENT: Final = ".fr.md"
_BILINGUAL: Final = ("domain/agent/wording.yaml", "domain/content/starter_templates.yaml")
_SHORTEST: Final = 2
_CATALOGUES: Final = ("api/dashboard/words/{}/*.toml", "demo/pages/{}.toml")


class SpellingNotInstalled(Exception):
    """A package with a word list is not installed."""


def is_french(file: Path) -> bool:
    """Return whether a document is in French."""
    return file.name.endswith(_FRENCH_DOCUMENT)


def catalogue(root: Path, language: str) -> Iterator[ProseText]:
    """Yield the user-facing texts in a language (`en` or `fr`), in file order."""
    for pattern in _CATALOGUES:
        for file in sorted(root.glob(pattern.format(language))):
            for number, line in enumerate(file.read_text().splitlines(), start=1):
                for text in _TOML_TEXT.findall(line):
                    yield ProseText(file, number, text.strip('"').replace("\\n", " "))
    for name in _BILINGUAL:
        file = root / name
        if file.exists():
            tree = yaml.compose(file.read_text(), Loader=yaml.CSafeLoader)
            for first, text in _texts(tree, language, inside=False):
                yield ProseText(file, first, text)


def _texts(node: yaml.Node | None, language: str, *, inside: bool) -> Iterator[tuple[int, str]]:
    """Yield each text under a language's key, with its line number."""
    match node:
        case yaml.MappingNode(value=pairs):
            for key, value in pairs:
                yield from _texts(value, language, inside=inside or key.value == language)
        case yaml.SequenceNode(value=items):
            for item in items:
                yield from _texts(item, language, inside=inside)
        case yaml.ScalarNode(value=str(text)) if inside:
            yield node.start_mark.line + 1, text
        case _:
            pass


@dataclass(frozen=True)
class Spelling:
    """The word lists, loaded on first use. `skipped`: the documents whose spelling is not
    checked."""

    accepted: dict[str, frozenset[str]]
    skipped: frozenset[str]

    @classmethod
    def load(cls) -> "Spelling":
        """Read the accepted words. Raises SpellingNotInstalled if a package with a word list is not
        installed."""
        for package, _ in (_MISSPELLINGS, _FRENCH):
            if find_spec(package) is None:
                raise SpellingNotInstalled(package)
        lists = tomllib.loads(_ACCEPTED.read_text())
        accepted = {language: frozenset(words["accepted"]) for language, words in lists.items()}
        return cls(accepted, frozenset(lists["english"]["skipped"]))

    def english_mistakes(self, line: str) -> Iterator[str]:
        """Yield each known misspelling in a line, with its corrections."""
        # Most lines have no suspicious word, so the slower search for addresses runs only for the
        # others.
        if not any(word.lower() in self._misspellings for word in _WORD.findall(line)):
            return
        for word in _WORD.findall(_plain(line)):
            corrections = self._misspellings.get(word.lower())
            if corrections and word.lower() not in self.accepted["english"]:
                yield f"{word}: {corrections}"

    def french_mistakes(self, line: str) -> Iterator[str]:
        """Yield each word in a line that the French dictionary does not contain."""
        for word in _FRENCH_WORD.findall(_plain(line)):
            # Skip abbreviations and product names, which have capitals after their first letter.
            plain = len(word) >= _SHORTEST and word[1:] == word[1:].lower()
            if plain and not self._is_french(word.lower()):
                yield word

    def _is_french(self, word: str) -> bool:
        known = (self._french, self.accepted["french"])
        if any(word in words for words in known):
            return True
        parts = word.split("-")
        return len(parts) > 1 and all(any(part in words for words in known) for part in parts)

    @cached_property
    def _misspellings(self) -> dict[str, str]:
        lines = _data(_MISSPELLINGS).read_text().splitlines()
        pairs = (line.split("->", 1) for line in lines if "->" in line)
        return {wrong.lower(): right.strip(" ,") for wrong, right in pairs}

    @cached_property
    def _french(self) -> frozenset[str]:
        with gzip.open(_data(_FRENCH), "rt") as file:
            frequencies: dict[str, int] = json.load(file)
        return frozenset(frequencies)


def _plain(line: str) -> str:
    return _NO_WORDS.sub(" ", line)


def _data(place: tuple[str, str]) -> Path:
    package, name = place
    found = find_spec(package)
    if found is None or found.origin is None:
        raise SpellingNotInstalled(package)
    return Path(found.origin).parent / name

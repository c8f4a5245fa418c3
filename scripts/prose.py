"""List violations of CONTRIBUTING.md's "How we write": `python -m scripts.prose`.

The script checks docstrings, comments and documents for prohibited words, sentence length and
spelling. It checks the catalogues of user-facing texts only for spelling, in both languages. Code,
quotations and names in backticks are exempt. The exit code is 1 if there are findings.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scripts.prose_spelling import Spelling, SpellingNotInstalled, catalogue, is_french
from scripts.prose_texts import ProseText, passages, sentences

ROOT: Final = Path(__file__).resolve().parents[1]
MAX_WORDS: Final = 25  # words per sentence
_WORDS: Final = re.compile(
    r"\b(whoever|whatever|nobody|somebody|anybody|told|tells|begun|anew|reckon(?:s|ed)?"
    r"|mend(?:s|ed|ing)?|deeds?|(?:is|are|was|were) to be|what came|what comes of|of which"
    r"|as far as|so far as|no more than one['’]s|thus|hence|hereby|whilst|thereof|therein|wherein"
    r"|whereby|lest|henceforth)\b",
    re.IGNORECASE,
)
# This pattern matches a sentence with "Whose" as its subject. Other uses are not checked.
_SUBJECT: Final = re.compile(r"(?:^|[.!?] )(Whose)\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ProseFinding:
    """A violation, with its file and line."""

    file: Path
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT)}:{self.line}: {self.what}"


def findings(spelling: Spelling | None) -> Iterator[ProseFinding]:
    """Yield the findings: first in modules, then in documents, then in user-facing texts.

    If `spelling` is None, spelling is not checked.
    """
    for passage in passages(ROOT):
        yield from _ruled_out(passage)
        yield from _too_long(passage)
        if spelling and str(passage.file.relative_to(ROOT)) not in spelling.skipped:
            yield from _misspelled(passage, spelling, french=is_french(passage.file))
    if spelling:
        for language in ("en", "fr"):
            for text in catalogue(ROOT, language):
                yield from _misspelled(text, spelling, french=language == "fr")


def _ruled_out(passage: ProseText) -> Iterator[ProseFinding]:
    for pattern in (_WORDS, _SUBJECT):
        if not pattern.search(passage.text):
            continue
        for number, line in enumerate(passage.text.splitlines(), start=passage.line):
            for word in pattern.findall(line):
                yield ProseFinding(passage.file, number, word)


def _too_long(passage: ProseText) -> Iterator[ProseFinding]:
    for sentence in sentences(passage):
        if sentence.length > MAX_WORDS:
            beginning = " ".join(sentence.text.split()[:6])
            what = f"a sentence of {sentence.length} words, limit {MAX_WORDS}: {beginning} …"
            yield ProseFinding(sentence.file, sentence.line, what)


def _misspelled(passage: ProseText, spelling: Spelling, *, french: bool) -> Iterator[ProseFinding]:
    mistakes = spelling.french_mistakes if french else spelling.english_mistakes
    for number, line in enumerate(passage.text.splitlines(), start=passage.line):
        for mistake in mistakes(line):
            yield ProseFinding(passage.file, number, f"spelling: {mistake}")


def main() -> int:
    try:
        spelling = Spelling.load()
    except SpellingNotInstalled as missing:
        spelling = None
        print(f"prose: spelling is not checked, {missing} is not installed", file=sys.stderr)
    found = list(findings(spelling))
    print("\n".join(map(str, found)), end="\n" if found else "")
    return 1 if found or spelling is None else 0


if __name__ == "__main__":
    sys.exit(main())

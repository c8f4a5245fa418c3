"""Find the product's prose: docstrings, comments, and paragraphs in documents.

Code, link addresses, tables, headings and quotations are not prose.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

ROOMS: Final = (
    *("domain", "store", "services", "adapters", "activities", "workflows", "api", "commands"),
    *("workers", "settings", "embedded", "demo", "migrations", "bench", "evaluation", "training"),
    "scripts",
)
_MODULES: Final = ("cli.py", "worker.py")

# This pattern is three times faster than `ast` and `tokenize`, which would take most of the check's
# time.
_TOKEN: Final = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"""'
    r"|'''(?:[^'\\]|\\.|'(?!''))*'''"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'(?:\\.|[^'\\\n])*'"
    r"|#[^\n]*",
    re.DOTALL,
)
_DOCSTRING_QUOTES: Final = '"""'
# A string after one of these is part of an expression, not a statement.
_INSIDE_EXPRESSION: Final = "(,=[{+"

_NO_PROSE: Final = re.compile(
    r"```.*?```|<!--.*?-->|<[^>\n]*>|# noqa.*|type: ignore.*|\]\([^)]*\)", re.DOTALL
)
_NAME: Final = re.compile(r"``[^`]+``|`[^`]*`|\"[^\"\n]*\"|“[^”]*”", re.DOTALL)
_WORD_FOR_A_NAME: Final = "Name"
_NAMES_IN_SUCCESSION: Final = re.compile(r"Name(?:(?:,| or| and|, or|, and) Name)+\b")

_ITEM: Final = re.compile(r"\s*(?:[-*+]|\d{1,2}[.)])\s+")
_NO_PARAGRAPH: Final = re.compile(r"\s*(?:\||#{1,6} |---|===|$)")

# A period after one of these does not end a sentence.
_ABBREVIATION: Final = re.compile(r"\b(?:e\.g|i\.e|cf|vs|etc|approx|St|Dr|Mr|Mrs|[A-Z])\.$")
_SENTENCE_END: Final = re.compile(r"[.!?][\"')\]”*_]*\s+|…\s+(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class ProseText:
    """A docstring, a block of comments or a document, with the line at which it begins."""

    file: Path
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class ProseSentence:
    """A sentence, with the line at which its paragraph begins."""

    file: Path
    line: int
    text: str

    @property
    def length(self) -> int:
        """The number of words. A name, a quotation or a list of names counts as one word."""
        text = _NAMES_IN_SUCCESSION.sub(_WORD_FOR_A_NAME, self.text)
        return sum(1 for word in text.split() if any(map(str.isalnum, word)))


def passages(root: Path) -> Iterator[ProseText]:
    """Yield the prose of modules, then of documents, in file order, each as `bare` returns it."""
    modules = [root / name for name in _MODULES]
    for room in ROOMS:
        modules += sorted((root / room).rglob("*.py"))
    for module in modules:
        for passage in _of_module(module, module.read_text()):
            yield replace(passage, text=bare(passage.text))
    for document in sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md")]):
        yield ProseText(document, 1, bare(document.read_text()))


def bare(text: str) -> str:
    """Replace names and quotations with one word, and delete code. Line numbers do not change."""
    for pattern, word in ((_NO_PROSE, ""), (_NAME, _WORD_FOR_A_NAME)):
        parts, end = list[str](), 0
        for found in pattern.finditer(text):
            parts += [text[end : found.start()], word, "\n" * found[0].count("\n")]
            end = found.end()
        text = "".join([*parts, text[end:]])
    return text


def sentences(passage: ProseText) -> Iterator[ProseSentence]:
    """Yield the sentences in a passage that `bare` has processed, without tables. A list item is a
    paragraph."""
    for line, paragraph in _paragraphs(passage.text):
        for text in _split(paragraph):
            yield ProseSentence(passage.file, passage.line + line, text)


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Yield each paragraph as one line of text, with its zero-based line number."""
    first, words = 0, list[str]()
    for number, line in enumerate(text.splitlines()):
        apart = _NO_PARAGRAPH.match(line)
        item = _ITEM.match(line)
        if words and (apart or item):
            yield first, " ".join(words)
            words = []
        if not apart:
            first = first if words else number
            words.append(line[item.end() if item else 0 :].strip())
    if words:
        yield first, " ".join(words)


def _split(paragraph: str) -> Iterator[str]:
    start = 0
    for end in _SENTENCE_END.finditer(paragraph):
        if not _ABBREVIATION.search(paragraph, start, end.start() + 1):
            yield paragraph[start : end.end()].strip()
            start = end.end()
    if start < len(paragraph):
        yield paragraph[start:]


def _of_module(module: Path, source: str) -> Iterator[ProseText]:
    """Yield string statements and comments. Comments on successive lines are one passage."""
    block, first, last = list[str](), 0, 0
    number, position = 1, 0
    for token in _TOKEN.finditer(source):
        text = token[0]
        number += source.count("\n", position, token.start())
        position = token.start()
        before = source[source.rfind("\n", 0, position) + 1 : position].strip()
        if text.startswith("#"):
            if block and (before or number != last + 1):
                yield ProseText(module, first, "\n".join(block))
                block = []
            first = first if block else number
            block.append(text.lstrip("#!"))
            last = 0 if before else number
        elif text.startswith(_DOCSTRING_QUOTES) and before in {"", "r"}:
            preceding = source[:position].removesuffix(before).rstrip()[-1:]
            if not preceding or preceding not in _INSIDE_EXPRESSION:
                yield ProseText(module, number, text.strip('"'))
    if block:
        yield ProseText(module, first, "\n".join(block))

"""List words that the section "How we write" in CONTRIBUTING.md rules out: `python -m
scripts.prose`.

Checks the product's docstrings and comments, and the documents. Code, quotations and names in
backticks are exempt. Exits with status 1 if it finds a word.
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
ROOMS: Final = (
    *("domain", "store", "services", "adapters", "activities", "workflows", "api", "commands"),
    *("workers", "settings", "embedded", "demo", "migrations", "bench", "evaluation", "training"),
    "scripts",
)
_WORDS: Final = re.compile(
    r"\b(whoever|whatever|nobody|somebody|anybody|told|tells|begun|anew|reckon(?:s|ed)?"
    r"|mend(?:s|ed|ing)?|deeds?|is to be|what came|what comes of|as far as|so far as|thus|hence"
    r"|hereby)\b",
    re.IGNORECASE,
)
_NO_PROSE: Final = re.compile(
    r"```.*?```|`[^`]*`|\"[^\"\n]*\"|“[^”]*”|<[^>]*>|\]\([^)]*\)|# noqa.*", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class RuledOutWord:
    """A ruled-out word, with the file and line where it occurs."""

    file: Path
    line: int
    word: str

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT)}:{self.line}: {self.word}"


def findings() -> Iterator[RuledOutWord]:
    """Yield the findings in the product and the documents, in file order."""
    modules = [ROOT / "cli.py", ROOT / "worker.py"]
    for room in ROOMS:
        modules += sorted((ROOT / room).rglob("*.py"))
    for module in modules:
        source = module.read_text()
        yield from _ruled_out(module, [*_docstrings(source), *_comments(source)])
    documents = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
    for document in documents:
        yield from _ruled_out(document, [(1, document.read_text())])


def _ruled_out(file: Path, prose: list[tuple[int, str]]) -> Iterator[RuledOutWord]:
    for first, text in prose:
        # Line breaks are kept, so that a finding has the correct line number.
        bare = _NO_PROSE.sub(lambda found: "\n" * found[0].count("\n"), text)
        for number, line in enumerate(bare.splitlines()):
            for word in _WORDS.findall(line):
                yield RuledOutWord(file, first + number, word)


def _docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Yield every string statement with the number of its first line."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield node.lineno, text
            case _:
                pass


def _comments(source: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def main() -> int:
    found = list(findings())
    print("\n".join(map(str, found)), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

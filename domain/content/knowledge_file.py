"""The knowledge file: a CSV or Markdown file for importing a merchant's existing knowledge
entries."""

import csv
import hashlib
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from domain.agent.brain import Language
from domain.content.content import KnowledgeEntry, check_body, check_line, language_of
from domain.core.errors import InvalidContent

MAX_IMPORTED: Final = 500
"""Maximum number of entries in one knowledge file."""

MAX_FILE_CHARS: Final = 500_000
"""Maximum length of one knowledge file, in characters."""

MAX_PROBLEMS: Final = 100
"""Maximum number of problems reported for a knowledge file."""


class FileForm(StrEnum):
    """The format of a knowledge file.

    - `csv`: columns for title, body and, optionally, language.
    - `markdown`: a heading of the first or second level starts an entry. The text below the heading
      is the entry's body.
    """

    CSV = "csv"
    MARKDOWN = "markdown"


class LineProblem(StrEnum):
    """The kind of problem on a line of a knowledge file."""

    TITLE = "title"
    BODY = "body"
    LANGUAGE = "language"
    OTHER_LANGUAGE = "other_language"
    TWICE = "twice"
    HEADER = "header"
    UNREADABLE = "unreadable"
    NO_HEADING = "no_heading"
    TOO_MANY = "too_many"
    TOO_LONG = "too_long"


@dataclass(frozen=True, slots=True)
class KnowledgeFile:
    """A knowledge file to import. `language` is the language for entries that state no language and
    are not clearly in another language."""

    text: str
    form: FileForm
    language: Language


@dataclass(frozen=True, slots=True)
class KnowledgeRead:
    """The result of parsing a file: the valid entries, and at most MAX_PROBLEMS problems in the
    others."""

    entries: tuple["FileEntry", ...]
    problems: tuple["FileProblem", ...]


@dataclass(frozen=True, slots=True)
class FileEntry:
    """An entry in a knowledge file. `line` is the one-based number of the line on which the entry
    starts."""

    line: int
    title: str
    body: str
    language: Language

    @property
    def name(self) -> tuple[str, str]:
        """Return the key that identifies the entry: its language and title. An import changes the
        stored entry with the same key."""
        return self.language, self.title


@dataclass(frozen=True, slots=True)
class FileProblem:
    line: int
    problem: LineProblem


@dataclass(frozen=True, slots=True)
class FileChange:
    """A change that an import makes: a stored entry and its new content."""

    before: KnowledgeEntry
    after: FileEntry


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """The changes that importing a knowledge file would make. A file with problems changes
    nothing."""

    new: tuple[FileEntry, ...]
    changed: tuple[FileChange, ...]
    same: int
    problems: tuple[FileProblem, ...]

    @property
    def version(self) -> str:
        """Return a digest of the new and changed entries. Plans with different changes have
        different digests."""
        parts = [
            *(f"+{one.language}{one.title}\0{one.body}" for one in self.new),
            *(f"~{one.before.id}{one.before.body}\0{one.after.body}" for one in self.changed),
        ]
        return hashlib.sha256("\1".join(parts).encode()).hexdigest()[:16]


_COLUMNS: Final[Mapping[str, str]] = {
    "title": "title",
    "titre": "title",
    "body": "body",
    "text": "body",
    "texte": "body",
    "language": "language",
    "langue": "language",
}
_HEADING: Final = re.compile(r"(#{1,2})[ \t](.*)")
_FENCE: Final = ("```", "~~~")
_LANGUAGES: Final[Mapping[str, Language]] = {"fr": "fr", "en": "en"}


@dataclass(frozen=True, slots=True)
class _Found:
    """One entry as written in a knowledge file, not validated yet."""

    line: int
    title: str
    body: str
    language: str = ""


def read_file(file: KnowledgeFile) -> KnowledgeRead:
    """Parse a knowledge file, and return its entries and problems. Parsing stops at MAX_IMPORTED
    entries or MAX_PROBLEMS problems."""
    if len(file.text) > MAX_FILE_CHARS:
        return KnowledgeRead((), (FileProblem(1, LineProblem.TOO_LONG),))
    read = _of_csv if file.form is FileForm.CSV else _of_markdown
    entries: list[FileEntry] = []
    problems: list[FileProblem] = []
    names: set[tuple[str, str]] = set()
    for found in read(file):
        one = found if isinstance(found, FileProblem) else _checked(found, file.language)
        if isinstance(one, FileEntry) and one.name in names:
            one = FileProblem(one.line, LineProblem.TWICE)
        if isinstance(one, FileProblem):
            problems.append(one)
            if len(problems) == MAX_PROBLEMS:
                break
            continue
        if len(entries) == MAX_IMPORTED:
            problems.append(FileProblem(one.line, LineProblem.TOO_MANY))
            break
        names.add(one.name)
        entries.append(one)
    return KnowledgeRead(tuple(entries), tuple(problems))


def plan_of(read: KnowledgeRead, there: Mapping[tuple[str, str], KnowledgeEntry]) -> ImportPlan:
    """Return the changes that the file would make to the stored entries.

    `there`: the stored entries, keyed by language and title.
    """
    known = [(there.get(one.name), one) for one in read.entries]
    changed = [FileChange(old, one) for old, one in known if old and old.body != one.body]
    new = tuple(one for old, one in known if old is None)
    return ImportPlan(
        new=new,
        changed=tuple(changed),
        same=len(read.entries) - len(new) - len(changed),
        problems=read.problems,
    )


def _checked(found: _Found, otherwise: Language) -> FileEntry | FileProblem:
    texts = (found.title, found.body)
    named = found.language.strip().lower()
    language = _LANGUAGES.get(named) if named else language_of(texts, otherwise)
    if language is None:
        return FileProblem(found.line, LineProblem.LANGUAGE)
    if language_of(texts, language) != language:
        return FileProblem(found.line, LineProblem.OTHER_LANGUAGE)
    try:
        title = check_line("title", found.title)
    except InvalidContent:
        return FileProblem(found.line, LineProblem.TITLE)
    try:
        return FileEntry(found.line, title, check_body(found.body), language)
    except InvalidContent:
        return FileProblem(found.line, LineProblem.BODY)


def _of_csv(file: KnowledgeFile) -> Iterator[_Found | FileProblem]:
    text = file.text.removeprefix("\ufeff")
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    columns: list[str | None] | None = None
    line = 1
    try:
        for row in reader:
            if columns is None:
                columns = [_COLUMNS.get(name.strip().lower()) for name in row]
                if sorted(filter(None, columns)) not in (
                    ["body", "title"],
                    ["body", "language", "title"],
                ):
                    yield FileProblem(1, LineProblem.HEADER)
                    return
            elif any(row):
                values = {name: value for name, value in zip(columns, row, strict=False) if name}
                yield _Found(
                    line,
                    values.get("title", ""),
                    values.get("body", ""),
                    values.get("language", ""),
                )
            line = reader.line_num + 1
    except csv.Error:
        yield FileProblem(line, LineProblem.UNREADABLE)


def _of_markdown(file: KnowledgeFile) -> Iterator[_Found | FileProblem]:
    """Yield the entries and problems in a Markdown file. A first-level heading without text below
    it is the title of the whole file, not an entry."""
    opened: re.Match[str] | None = None
    at, is_code = 1, False
    body: list[str] = []
    for number, line in enumerate(file.text.split("\n"), start=1):
        heading = None if is_code else _HEADING.fullmatch(line)
        if heading is None:
            is_code ^= line.lstrip().startswith(_FENCE)
            body.append(line)
            continue
        yield from _section(opened, at, body)
        opened, at, body = heading, number, []
    yield from _section(opened, at, body)


def _section(
    heading: re.Match[str] | None, line: int, body: Sequence[str]
) -> Iterator[_Found | FileProblem]:
    text = "\n".join(body).strip()
    if heading is None:
        if text:
            yield FileProblem(line, LineProblem.NO_HEADING)
    elif text or len(heading.group(1)) == 2:
        # A Markdown heading may end with closing marks, as in `## Title ##`.
        title = heading.group(2).strip(" \t").rstrip("#").rstrip(" \t")
        yield _Found(line, title, text)

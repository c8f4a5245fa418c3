"""Knowledge files: parsing, and errors by line."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.system import utc_now
from domain.content.content import KnowledgeEntry
from domain.content.knowledge_file import (
    MAX_FILE_CHARS,
    MAX_IMPORTED,
    FileForm,
    KnowledgeFile,
    LineProblem,
    plan_of,
    read_file,
)

CSV, MARKDOWN = FileForm.CSV, FileForm.MARKDOWN
GUIDE = """# Guide

## Delivery
3 days.

```
# not a heading
```
### Abroad
5 days.
# Returns ##
30 days.
"""


def _read(text: str, form: FileForm = CSV) -> list[tuple[int, str, str, str]]:
    read = read_file(KnowledgeFile(text, form, "fr"))
    entries, problems = read.entries, read.problems
    assert problems == ()
    return [(one.line, one.title, one.body, one.language) for one in entries]


@pytest.mark.parametrize(
    "text",
    [
        'title,body\nA,"one\ntwo"\n\nB,b\n',
        '\ufeffTitre;Texte\nA;"one\ntwo"\n;\nB;b',
        'body\ttitle\n"one\ntwo"\tA\n\nb\tB\n',
    ],
)
def test_tables_of_any_usual_kind(text: str) -> None:
    assert _read(text) == [(2, "A", "one\ntwo", "fr"), (5, "B", "b", "fr")]


def test_a_language_of_its_own() -> None:
    assert _read("title,body,language\nA,a,EN\nA,a,\n") == [
        (2, "A", "a", "en"),
        (3, "A", "a", "fr"),
    ]


def test_headings_begin_entries() -> None:
    delivery = "3 days.\n\n```\n# not a heading\n```\n### Abroad\n5 days."
    assert _read(GUIDE, MARKDOWN) == [
        (3, "Delivery", delivery, "en"),
        (11, "Returns", "30 days.", "fr"),
    ]


@pytest.mark.parametrize(
    ("form", "text", "wrong"),
    [
        (CSV, "name,text\nA,a\n", [(1, LineProblem.HEADER)]),
        (CSV, "", []),
        (CSV, "title,body\n,a\nB,\n", [(2, LineProblem.TITLE), (3, LineProblem.BODY)]),
        (CSV, "title,body\nA,a\n A ,b\n", [(3, LineProblem.TWICE)]),
        (CSV, "title,body,language\nA,a,de\n", [(2, LineProblem.LANGUAGE)]),
        (
            CSV,
            "title,body,language\nReturns,You can send it back within 30 days,fr\n",
            [(2, LineProblem.OTHER_LANGUAGE)],
        ),
        (CSV, 'title,body\nA,"a\n', [(2, LineProblem.UNREADABLE)]),
        (MARKDOWN, "words\n# A\na\n", [(1, LineProblem.NO_HEADING)]),
        (MARKDOWN, "# A\na\n## B\n", [(3, LineProblem.BODY)]),
        (MARKDOWN, "x" * (MAX_FILE_CHARS + 1), [(1, LineProblem.TOO_LONG)]),
        (
            CSV,
            "title,body\n" + "".join(f"{n},b\n" for n in range(MAX_IMPORTED + 5)),
            [(MAX_IMPORTED + 2, LineProblem.TOO_MANY)],
        ),
    ],
)
def test_what_is_wrong_is_placed(
    form: FileForm, text: str, wrong: list[tuple[int, LineProblem]]
) -> None:
    problems = read_file(KnowledgeFile(text, form, "fr")).problems

    assert [(one.line, one.problem) for one in problems] == wrong


@given(text=st.text(alphabet='# \n",;\tab`é\r'), form=st.sampled_from(FileForm))
def test_any_text_is_read(text: str, form: FileForm) -> None:
    entries = read_file(KnowledgeFile(text, form, "en")).entries

    assert all(one.title and one.body for one in entries)


@pytest.mark.parametrize("line", ["# a" + " " * 20_000 + "b", "# a" + " #" * 20_000 + "b"])
def test_a_heading_takes_no_longer_than_it_is_long(line: str) -> None:
    started = time.monotonic()
    read_file(KnowledgeFile(line, MARKDOWN, "en"))

    assert time.monotonic() - started < 1


def test_a_plan_tells_new_changed_and_same() -> None:
    def there(title: str, body: str) -> KnowledgeEntry:
        return KnowledgeEntry(
            id=title, title=title, body=body, language="fr", created_at=utc_now(), updated_at=None
        )

    read = read_file(KnowledgeFile("title,body\nA,a\nB,b\nC,c\n", CSV, "fr"))
    known = {("fr", "A"): there("A", "a"), ("fr", "B"): there("B", "old")}
    plan = plan_of(read, known)

    assert [one.title for one in plan.new] == ["C"]
    assert [(one.before.id, one.after.body) for one in plan.changed] == [("B", "b")]
    assert plan.same == 1
    later = plan_of(read, {**known, ("fr", "B"): there("B", "newer")})
    assert later.version != plan.version

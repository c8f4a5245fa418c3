"""The prose check finds words, long sentences and misspellings, and the product has none."""

from pathlib import Path

import pytest

from scripts import prose, prose_spelling
from scripts.prose_spelling import Spelling
from scripts.prose_texts import ProseText, bare, sentences


@pytest.fixture(scope="module")
def spelling() -> Spelling:
    return Spelling.load()


def test_the_product_and_its_documents_have_none(spelling: Spelling) -> None:
    assert [str(one) for one in prose.findings(spelling)] == []


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A separate checkout."""
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    for name in ("cli.py", "worker.py"):
        (tmp_path / name).write_text("")
    for folder in ("domain", "docs/decisions", "api/dashboard/words/fr", "domain/agent"):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path


def found(spelling: Spelling | None = None) -> list[str]:
    return [str(one) for one in prose.findings(spelling)]


def test_docstrings_comments_and_documents_are_read(tree: Path) -> None:
    code = '"""Start.\n\nNobody is told."""\n\nword = "whoever"  # begun anew\n'
    (tree / "domain/one.py").write_text(code)
    (tree / "docs/page.md").write_text("# Page\n\nIt is to be done.\n")

    assert found() == [
        "domain/one.py:3: Nobody",
        "domain/one.py:3: told",
        "domain/one.py:5: begun",
        "domain/one.py:5: anew",
        "docs/page.md:3: is to be",
    ]


@pytest.mark.parametrize("word", ["of which", "no more than one's", "Whose", "were to be", "lest"])
def test_words_of_the_style_guide_are_ruled_out(tree: Path, word: str) -> None:
    (tree / "docs/page.md").write_text(f"{word} key.\n")

    assert found() == [f"docs/page.md:1: {word}"]


def test_names_and_quotations_are_no_prose(tree: Path) -> None:
    (tree / "domain/one.py").write_text('"""Return `told`, or "nobody"."""\n')
    (tree / "docs/page.md").write_text("[why](decisions/anew.md)\n\n```\nmake anew\n```\n")

    assert found() == []


def test_a_string_in_an_expression_is_no_docstring(tree: Path) -> None:
    (tree / "domain/one.py").write_text('run(\n    """SELECT told"""\n)\nurl = "a#told"\n')

    assert found() == []


WORDS_25 = " ".join(["word"] * prose.MAX_WORDS)


@pytest.mark.parametrize(
    "text",
    [
        f'"""One line.\n\nA {WORDS_25}.\n"""\n',
        f"# A {WORDS_25[:60]}\n# {WORDS_25[60:]}.\n",
    ],
    ids=["docstring", "comment of two lines"],
)
def test_a_long_sentence_in_code_is_found(tree: Path, text: str) -> None:
    (tree / "domain/one.py").write_text(text)

    (only,) = found()
    assert f"a sentence of {prose.MAX_WORDS + 1} words" in only


def test_a_long_sentence_in_a_document_is_found_at_its_paragraph(tree: Path) -> None:
    (tree / "docs/page.md").write_text(f"# Page\n\nShort one. {WORDS_25}\nmore.\n")

    assert [one.split(":")[:2] for one in found()] == [["docs/page.md", "3"]]


@pytest.mark.parametrize(
    "text",
    [
        f"{WORDS_25}.",
        f"{WORDS_25}. {WORDS_25}.",
        f"- {WORDS_25}\n- {WORDS_25}",
        f"{WORDS_25}\n\n{WORDS_25}",
        f"| {WORDS_25} | {WORDS_25} |",
        f"## {WORDS_25} {WORDS_25}",
        f"```\n{WORDS_25} {WORDS_25}\n```",
        f"Names: {', '.join(['`name`'] * prose.MAX_WORDS)} and `name`.",
        f'"{WORDS_25} {WORDS_25}"',
    ],
    ids=["limit", "two", "list", "paragraphs", "table", "heading", "code", "names", "quotation"],
)
def test_what_is_no_long_sentence(tree: Path, text: str) -> None:
    (tree / "docs/page.md").write_text(text + "\n")

    assert found() == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Use a file, e.g. The.md here. Then go.", ["Use a file, e.g. The.md here.", "Then go."]),
        ("See README.md for 1.5 s. asyncio waits.", ["See README.md for 1.5 s.", "asyncio waits."]),
        ('Is it "on"? Yes (it is.) No!', ["Is it Name?", "Yes (it is.)", "No!"]),
        ("First:\n\n1. one\n2. two", ["First:", "one", "two"]),
        ("out of the limit of\n200. If more", ["out of the limit of 200.", "If more"]),
    ],
)
def test_sentences_are_split(text: str, expected: list[str]) -> None:
    assert [one.text for one in sentences(ProseText(Path("a.md"), 1, bare(text)))] == expected


def test_misspelled_english_is_found(tree: Path, spelling: Spelling) -> None:
    (tree / "domain/one.py").write_text('"""Recieve `teh` message."""\n')
    (tree / "docs/page.md").write_text("The adress is known.\n")

    assert found(spelling) == [
        "domain/one.py:1: spelling: Recieve: receive",
        "docs/page.md:1: spelling: adress: address",
    ]


def test_misspelled_french_is_found(tree: Path, spelling: Spelling) -> None:
    (tree / "docs/page.fr.md").write_text("La réponce est un playbook.\n")
    (tree / "api/dashboard/words/fr/one.toml").write_text(
        'a = "Adresse vérifiée de {name} : l\'envoyer\\nà nouveau"\nb = "Validasions"\n'
    )
    (tree / "domain/agent/wording.yaml").write_text(
        "which:\n  fr:\n    - Où est-ell ?\n  en: Where recieved?\n"
    )

    assert found(spelling) == [
        "docs/page.fr.md:1: spelling: réponce",
        "domain/agent/wording.yaml:4: spelling: recieved: received",
        "api/dashboard/words/fr/one.toml:2: spelling: Validasions",
        "domain/agent/wording.yaml:3: spelling: est-ell",
    ]


def test_accepted_words_are_needed(spelling: Spelling) -> None:
    """A word in the French dictionary need not be in the accepted list."""
    bare = Spelling({"english": frozenset(), "french": frozenset()}, frozenset())

    for word in spelling.accepted["french"]:
        assert list(bare.french_mistakes(word)) == [word]
    for word in spelling.accepted["english"]:
        assert list(bare.english_mistakes(word))


@pytest.mark.parametrize(("text", "code"), [("", 0), ("# told", 1)])
def test_a_finding_fails_the_check(
    tree: Path, capsys: pytest.CaptureFixture[str], text: str, code: int
) -> None:
    (tree / "cli.py").write_text(text)

    assert prose.main() == code
    assert bool(capsys.readouterr().out) == bool(code)


def test_missing_word_lists_are_reported(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(prose_spelling, "find_spec", lambda _: None)
    (tree / "cli.py").write_text("# recieve\n")

    assert prose.main() == 1
    assert "spelling is not checked" in capsys.readouterr().err

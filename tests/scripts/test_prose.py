"""The check of words finds what is ruled out, and the product has none of it."""

from pathlib import Path

import pytest

from scripts import prose


def test_the_product_and_its_documents_have_none() -> None:
    assert [str(one) for one in prose.findings()] == []


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of its own."""
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    for name in ("cli.py", "worker.py"):
        (tmp_path / name).write_text("")
    for folder in ("domain", "docs/decisions"):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path


def test_docstrings_comments_and_documents_are_read(tree: Path) -> None:
    code = '"""Start.\n\nNobody is told."""\n\nword = "whoever"  # begun anew\n'
    (tree / "domain/one.py").write_text(code)
    (tree / "docs/page.md").write_text("# Page\n\nIt is to be done.\n")

    assert [str(one) for one in prose.findings()] == [
        "domain/one.py:3: Nobody",
        "domain/one.py:3: told",
        "domain/one.py:5: begun",
        "domain/one.py:5: anew",
        "docs/page.md:3: is to be",
    ]


def test_names_and_quotations_are_no_prose(tree: Path) -> None:
    (tree / "domain/one.py").write_text('"""Return `told`, or "nobody"."""\n')
    (tree / "docs/page.md").write_text("[why](decisions/anew.md)\n\n```\nmake anew\n```\n")

    assert list(prose.findings()) == []


@pytest.mark.parametrize(("text", "code"), [("", 0), ("# told", 1)])
def test_a_finding_fails_the_check(
    tree: Path, capsys: pytest.CaptureFixture[str], text: str, code: int
) -> None:
    (tree / "cli.py").write_text(text)

    assert prose.main() == code
    assert bool(capsys.readouterr().out) == bool(code)

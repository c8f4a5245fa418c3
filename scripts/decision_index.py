"""Regenerate docs/decisions/README.md: `python -m scripts.decision_index`."""

from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parents[1] / "docs" / "decisions"
_HEAD: Final = """\
# Decisions

This index lists the choices that would surprise a reader, in the order of the decisions. Each
choice has its own page. A decision is not changed later: a new decision supersedes it, and both
pages link to each other.

To add a page, copy [template.md](template.md) to `NNNN-words-of-its-title.md` with the next number.
`python -m scripts.decision_index` generates this list.

"""


def index(folder: Path) -> str:
    """Return the index of the decisions in a folder: one line per decision, with its number and
    title."""
    return _HEAD + "".join(
        f"- [{_title(page)}]({page.name})\n" for page in sorted(folder.glob("[0-9]*.md"))
    )


def _title(page: Path) -> str:
    return page.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")


if __name__ == "__main__":
    (FOLDER / "README.md").write_text(index(FOLDER), encoding="utf-8")

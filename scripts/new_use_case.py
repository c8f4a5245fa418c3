"""Create the files of a use case. Its tests fail until the files are filled in.

`make new NOUN=webhooks NAME=pause_subscription`. The files are generated from `scripts/templates/`.
"""

import argparse
import keyword
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
TEMPLATES: Final = Path(__file__).with_name("templates")
# This limit keeps the lines in the filled-in templates below 100 characters.
LONGEST_NAME: Final = 30
# A domain (NOUN) must have a folder in one of these layers.
ROOMS_OF_NOUNS: Final = ("domain", "store", "services")


class Refused(Exception):
    """The files cannot be created. The message states the reason."""


def use_case_files(noun: str, name: str) -> Mapping[Path, str]:
    """Return the contents of a use case's files, keyed by path relative to the project."""
    words = name.split("_")
    facts = {
        "noun": noun,
        "name": name,
        "sentence": " ".join(words).capitalize(),
        "result": "".join(word.capitalize() for word in words) + "Result",
    }

    def filled(template: str) -> str:
        return Template((TEMPLATES / template).read_text(encoding="utf-8")).substitute(facts)

    return {
        Path("services", noun, f"{name}.py"): filled("use_case.txt"),
        Path("tests", "services", noun, f"test_{name}.py"): filled("test_use_case.txt"),
    }


def lay(noun: str, name: str, root: Path) -> list[Path]:
    """Write the files, and missing `__init__.py` in their folders. Return the paths. Raises
    `Refused` for an unknown domain (NOUN), an invalid name, or an existing file."""
    nouns = _nouns(root)
    if noun not in nouns:
        raise Refused(f"NOUN must be one of: {', '.join(nouns)}")
    snake_case = re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name)
    if not snake_case or keyword.iskeyword(name) or len(name) > LONGEST_NAME:
        raise Refused(
            "NAME must be a verb and its object in snake case, like pause_subscription, "
            f"of at most {LONGEST_NAME} characters"
        )
    files = dict(use_case_files(noun, name))
    there = [path for path in files if (root / path).exists()]
    if there:
        raise Refused(f"there is a {there[0]} already")
    folders = {folder for path in files for folder in path.parents[:-1]}
    files |= {
        folder / "__init__.py": ""
        for folder in folders
        if not (root / folder / "__init__.py").exists()
    }
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return sorted(files)


def _nouns(root: Path) -> list[str]:
    return sorted(
        {
            folder.name
            for room in ROOMS_OF_NOUNS
            for folder in (root / room).glob("[a-z]*/")
            if any(folder.glob("*.py"))
        }
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="make new NOUN=… NAME=…", description=__doc__)
    parser.add_argument("noun")
    parser.add_argument("name")
    asked = parser.parse_args()
    try:
        written = lay(asked.noun, asked.name, ROOT)
    except Refused as refused:
        sys.exit(f"error: {refused}")
    print(*written, sep="\n")


if __name__ == "__main__":
    main()

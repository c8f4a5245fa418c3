"""Regenerate docs/commands.md from the command line: `python -m scripts.command_list`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from typer.core import TyperGroup

from cli import COMMANDS

FILE: Final = Path(__file__).parents[1] / "docs" / "commands.md"
_HEAD: Final = """\
# Commands

This page is for operators. It lists every command of `.venv/bin/python cli.py`. `--help` after a
command shows its options. Commands read and write the database directly, with the settings of the
environment ([operations.md](operations.md#commands)). `python -m scripts.command_list` generates
this file, and a test compares it with the commands.

| Command | Purpose |
|---|---|
"""


def table() -> str:
    """Return the new text of docs/commands.md."""
    return _HEAD + "".join(f"| `{name}` | {purpose} |\n" for name, purpose in _commands())


def _commands() -> Iterator[tuple[str, str]]:
    for command in COMMANDS:
        chosen = command.chosen()
        if not isinstance(chosen, TyperGroup):
            yield str(command.name), _first_paragraph(command.help)
            continue
        for name, inner in sorted(chosen.commands.items()):
            yield f"{command.name} {name}", _first_paragraph(inner.help)


def _first_paragraph(text: str | None) -> str:
    return " ".join((text or "").split("\n\n")[0].split()).replace("|", "\\|")


if __name__ == "__main__":
    FILE.write_text(table(), encoding="utf-8")

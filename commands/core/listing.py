"""Tables for users: lists of records with their ids, and the fields of a single record."""

from collections.abc import Iterable, Sequence
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from commands.core.context import out
from domain.core.plain_text import without_controls

Row = Sequence[str]

# If the output is not a terminal, these constants limit the characters in a cell and the width of a
# table. Programs that need the full text use --json.
_MOST_CHARS: Final = 200
_WIDE: Final = 2_000


def print_list(names: Sequence[str], rows: Iterable[Row], *, ids: int = 1) -> None:
    """Print a table with one line per row. The first `ids` cells are never cut, because users copy
    them. Other cells that do not fit end with an ellipsis."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for number, name in enumerate(names):
        table.add_column(name, no_wrap=number < ids)
    for row in rows:
        table.add_row(*map(_cell, row))
    (out if out.is_terminal else Console(width=_WIDE)).print(table)


def _cell(text: str) -> Text:
    """Return the text as a single line without control characters. The text may be untrusted."""
    line = " ".join(without_controls(text[: 2 * _MOST_CHARS]).split())
    if len(line) > _MOST_CHARS:
        line = f"{line[:_MOST_CHARS]}…"
    return Text(line, no_wrap=True, overflow="ellipsis")


def facts_table(title: str | None = None) -> Table:
    """Return an empty table for names and values. Long values wrap on a narrow terminal."""
    table = Table(title=title, title_justify="left", title_style="bold", show_header=False)
    table.add_column(no_wrap=True, style="cyan")
    table.add_column(overflow="fold")
    return table

"""Tables for people: lists of what is named by an id, and the facts of one thing."""

from collections.abc import Iterable, Sequence

from rich.markup import escape
from rich.table import Table

from commands.core.context import out

Row = Sequence[str]


def print_list(names: Sequence[str], rows: Iterable[Row]) -> None:
    """Print rows under their names. The first cell is an id: it is never cut or broken, for it is
    copied into the next command. The others fold where the terminal is narrow."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column(names[0], no_wrap=True)
    for name in names[1:]:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    out.print(table)


def facts_table(title: str | None = None) -> Table:
    """For rows of a name and a value. The values fold where the terminal is narrow."""
    table = Table(title=title, title_justify="left", title_style="bold", show_header=False)
    table.add_column(no_wrap=True, style="cyan")
    table.add_column(overflow="fold")
    return table

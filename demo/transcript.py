"""The transcript of one part of the tour, with any deviations from the expected results."""

from collections import Counter
from dataclasses import dataclass, field

import httpx
from rich.markup import escape
from rich.table import Table


@dataclass(slots=True)
class TourTranscript:
    """The transcript of one part of the tour. `said` contains pairs of speaker and text.
    `expected_events` are each ticket's webhooks. `wrong` are unmet expectations."""

    said: list[tuple[str, str]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    expected_events: dict[str, Counter[str]] = field(default_factory=dict)

    def expect(self, what: str, *, good: bool) -> None:
        if not good:
            self.wrong.append(what)

    def table(self, title: str) -> Table:
        mark = f"[bold red]expected {escape('; '.join(self.wrong))}[/]"
        table = Table(
            title=f"{title} — {mark if self.wrong else '[green]as expected[/]'}",
            title_justify="left",
            title_style="bold",
            show_header=False,
        )
        table.add_column(style="cyan", no_wrap=True)
        table.add_column(overflow="fold")
        for who, text in self.said:
            table.add_row(who, escape(text))
        return table


def refusal_of(error: httpx.HTTPError | TimeoutError) -> str:
    """Return a description of the HTTP error without its URL, because the URL may contain a key."""
    if isinstance(error, httpx.HTTPStatusError):
        return f"HTTP {error.response.status_code}"
    return type(error).__name__

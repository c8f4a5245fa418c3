"""The table of metrics for the dashboard's pages."""

from rich.table import Table

from bench.page_views import (
    MOST_BYTES,
    MOST_P50_MS,
    MOST_P95_MS,
    MOST_PAINT_MS,
    PageFigures,
)


def pages_shown(figures: PageFigures) -> Table:
    """Return a table with one row per page, followed by the size of scripts and styles, and the
    paint times."""
    table = Table(title="Pages of a client with 1,000,000 runs", title_justify="left")
    for name in ("", "p50 ms", "p95 ms", "HTML bytes", ""):
        table.add_column(name, justify="left" if not name else "right")
    for one in figures.times:
        fast = one.p50_ms <= MOST_P50_MS and one.p95_ms <= MOST_P95_MS
        verdict = "met" if fast and one.html_bytes <= MOST_BYTES else "missed"
        table.add_row(one.name, f"{one.p50_ms}", f"{one.p95_ms}", f"{one.html_bytes}", verdict)
    small = "met" if figures.static_gzip <= MOST_BYTES else "missed"
    table.add_row("scripts and styles, gzip", "", "", f"{figures.static_gzip}", small)
    for name, ms in figures.paint_ms.items():
        verdict = "met" if ms <= MOST_PAINT_MS else "missed"
        table.add_row(f"{name}, largest paint", f"{ms:.0f}", "", "", verdict)
    return table

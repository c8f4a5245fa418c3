"""Server-rendered charts: bars, a histogram with a marker, and a sparkline for a table cell.
Missing measurements are gaps, not zeros. `core/charts.html` draws them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

WIDTH: Final = 600
HEIGHT: Final = 120
LINE_WIDTH: Final = 96
LINE_HEIGHT: Final = 24

_SEEN: Final = 2.0  # The minimum height of a bar with a value above zero.


@dataclass(frozen=True, slots=True)
class ChartColumn:
    """A chart column. `parts` are the stacked values, one per series, or None if not measured.
    `href` links to the counted records, if any."""

    label: str
    parts: tuple[float | None, ...]
    href: str = ""

    @property
    def is_gap(self) -> bool:
        return all(part is None for part in self.parts)

    @property
    def sum(self) -> float:
        return sum(part or 0 for part in self.parts)


@dataclass(frozen=True, slots=True)
class ChartBars:
    """The bars of one series, as SVG path data. `series` is the index of the series, which
    determines the color and pattern."""

    series: int
    path: str


@dataclass(frozen=True, slots=True)
class ChartRow:
    """One row of the table that accompanies a chart. `href` is the link of the corresponding
    column."""

    label: str
    cells: tuple[str, ...]
    href: str = ""


@dataclass(frozen=True, slots=True)
class ChartArea:
    """The clickable area of a measured column, over the full height. `title` states the column's
    values."""

    path: str
    title: str
    href: str


@dataclass(frozen=True, slots=True)
class ChartMark:
    """A vertical marker on a chart. `place` is the marker's horizontal position, from 0 (left) to 1
    (right)."""

    place: float
    label: str

    @property
    def x(self) -> float:
        return round(self.place * WIDTH, 1)


@dataclass(frozen=True, slots=True)
class BarChart:
    """A bar chart with its data table.

    - `finding`: the conclusion, as a sentence.
    - `first`: the heading of the label column.
    - `top`: the value of the highest column.
    - `gaps`: the x position and width of each range without measurements.
    """

    finding: str
    first: str
    series: tuple[str, ...]
    bars: tuple[ChartBars, ...]
    areas: tuple[ChartArea, ...]
    gaps: tuple[tuple[float, float], ...]
    rows: tuple[ChartRow, ...]
    top: str
    mark: ChartMark | None

    @property
    def is_empty(self) -> bool:
        return len(self.gaps) == len(self.rows)

    @property
    def has_links(self) -> bool:
        return any(area.href for area in self.areas)


def bar_chart(
    finding: str,
    columns: Sequence[ChartColumn],
    *,
    series: Sequence[str],
    first: str,
    shown: Callable[[float], str] = "{:,.0f}".format,
    mark: ChartMark | None = None,
) -> BarChart:
    """Return a bar chart with one column per entry, left to right. `series` names up to three
    stacked parts. `shown` formats a number."""
    top = max((column.sum for column in columns), default=0.0)
    step = WIDTH / max(len(columns), 1)
    width = round(step * 0.8, 2)
    bars = [""] * len(series)
    areas: list[ChartArea] = []
    gaps: list[tuple[float, float]] = []
    for number, column in enumerate(columns):
        x = round((number + 0.1) * step, 2)
        if column.is_gap:
            gaps.append((x, width))
            continue
        for place, y, height in _stacked(column, top):
            bars[place] += _rectangle(x, y, width, height)
        area = _rectangle(round(number * step, 2), 0, round(step, 2), HEIGHT)
        areas.append(ChartArea(area, _title(column, series, shown), column.href))
    return BarChart(
        finding=finding,
        first=first,
        series=tuple(series),
        bars=tuple(ChartBars(place, path) for place, path in enumerate(bars) if path),
        areas=tuple(areas),
        gaps=tuple(gaps),
        rows=tuple(_row(column, shown) for column in columns),
        top=shown(top),
        mark=mark,
    )


def _rectangle(x: float, y: float, width: float, height: float) -> str:
    """Return a rectangle as SVG path data. One path with many rectangles is much shorter than one
    element per rectangle."""
    return f"M{x:g} {y:g}h{width:g}v{height:g}h-{width:g}z"


def _title(column: ChartColumn, series: Sequence[str], shown: Callable[[float], str]) -> str:
    """Return the values of a column, as “1 Nov: resolved 30, escalated 2”."""
    parts = zip(series, column.parts, strict=True)
    values = (f"{name} {shown(part)}" for name, part in parts if part is not None)
    return f"{column.label}: {', '.join(values)}"


def _stacked(column: ChartColumn, top: float) -> list[tuple[int, float, float]]:
    """Return the segments of a stacked column: the series, upper edge and height of each."""
    parts: list[tuple[int, float, float]] = []
    y = float(HEIGHT)
    for place, part in enumerate(column.parts):
        if part:
            height = round(min(max(part / top * HEIGHT, _SEEN), y), 2)
            y = round(y - height, 2)
            parts.append((place, y, height))
    return parts


def _row(column: ChartColumn, shown: Callable[[float], str]) -> ChartRow:
    cells = tuple("–" if part is None else shown(part) for part in column.parts)
    return ChartRow(column.label, cells, "" if column.is_gap else column.href)


@dataclass(frozen=True, slots=True)
class Sparkline:
    """A small line chart in a table cell. `title` describes it. `segments` are the points of
    consecutive measurements."""

    title: str
    segments: tuple[str, ...]


def sparkline(title: str, values: Sequence[float | None], *, top: float | None = None) -> Sparkline:
    """Return a sparkline of the values. `top` is the value at the upper edge, or None to use the
    highest value."""
    top = top or max((value for value in values if value is not None), default=0) or 1
    step = LINE_WIDTH / max(len(values) - 1, 1)
    segments: list[str] = []
    points: list[str] = []
    for place, value in enumerate([*values, None]):
        if value is not None:
            y = LINE_HEIGHT - 1 - value / top * (LINE_HEIGHT - 2)
            points.append(f"{place * step:.1f},{y:.1f}")
        elif points:
            # A single point is repeated, so that it is drawn as a dot with the width of the stroke.
            segments.append(" ".join(points if len(points) > 1 else points * 2))
            points = []
    return Sparkline(title, tuple(segments))

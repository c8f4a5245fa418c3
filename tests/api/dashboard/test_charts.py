"""Charts: what was not measured is a gap, and colour never stands alone."""

import tomllib
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

import api.dashboard
from api.dashboard.charts import BarChart, ChartColumn, ChartMark, bar_chart, sparkline

HERE = Path(api.dashboard.__file__).parent


def drawn(chart: BarChart) -> str:
    templates = Environment(
        loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined
    )
    words = {"frame": tomllib.loads((HERE / "words/en/frame.toml").read_text())}
    return str(templates.get_template("core/charts.html").module.bars(chart, "days", words))  # type: ignore[attr-defined]


def chart_of(*columns: ChartColumn, mark: ChartMark | None = None) -> BarChart:
    return bar_chart(
        "80 of 100 were resolved",
        columns,
        series=("resolved", "to a person"),
        first="Day",
        mark=mark,
    )


def test_columns_stand_upon_each_other_and_keep_their_proportions() -> None:
    chart = chart_of(ChartColumn("1 Nov", (30, 30)), ChartColumn("2 Nov", (15, 0)))
    low, high, half = chart.rects
    assert (low.height, high.height, half.height) == (60, 60, 30)
    assert (low.y, high.y, half.y) == (60, 0, 90)
    assert high.title == "1 Nov: to a person 30"


def test_a_gap_is_no_zero() -> None:
    chart = chart_of(ChartColumn("1 Nov", (None, None)), ChartColumn("2 Nov", (0, 0)))
    assert len(chart.gaps) == 1
    assert not chart.is_empty
    page = drawn(chart)
    assert "No data for 1 of 2 days." in page
    assert "–" in page


def test_nothing_measured_is_a_sentence_without_a_picture() -> None:
    for chart in (chart_of(), chart_of(ChartColumn("1 Nov", (None, None)))):
        page = drawn(chart)
        assert "No data in this period." in page
        assert "<svg" not in page


def test_a_chart_has_a_pattern_titles_a_table_and_no_style() -> None:
    page = drawn(chart_of(ChartColumn("<1>", (30, 1e-6)), mark=ChartMark(0.5, "0.70")))
    assert 'fill="url(#days-1)"' in page
    assert "<title>&lt;1&gt;: resolved 30</title>" in page
    assert "<details>" in page
    assert "style" not in page
    assert "0.70" in page


def test_a_line_is_broken_where_nothing_was_measured() -> None:
    line = sparkline("24 hours", [1, 2, None, 4])
    assert len(line.segments) == 2
    assert line.segments[1] == "96.0,1.0 96.0,1.0"
    assert sparkline("24 hours", [None]).segments == ()

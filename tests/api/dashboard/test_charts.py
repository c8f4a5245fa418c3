"""Charts: missing measurements are gaps, and color is never the only cue."""

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
    resolved, to_people = (bars.path for bars in chart.bars)
    assert resolved == "M30 60h240v60h-240zM330 90h240v30h-240z"
    assert to_people == "M30 0h240v60h-240z"
    assert [area.title for area in chart.areas] == [
        "1 Nov: resolved 30, to a person 30",
        "2 Nov: resolved 15, to a person 0",
    ]


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
    assert "<title>&lt;1&gt;: resolved 30, to a person 0</title>" in page
    assert "<details>" in page
    assert "style" not in page
    assert "0.70" in page


def test_a_line_is_broken_where_nothing_was_measured() -> None:
    line = sparkline("24 hours", [1, 2, None, 4])
    assert len(line.segments) == 2
    assert line.segments[1] == "96.0,1.0 96.0,1.0"
    assert sparkline("24 hours", [None]).segments == ()


def test_a_column_and_its_row_open_the_records_behind_it() -> None:
    chart = chart_of(
        ChartColumn("1 Nov", (30, 1), "/app/runs?from=1&to=1"),
        ChartColumn("2 Nov", (None, None), "/app/runs?from=2&to=2"),
    )
    page = drawn(chart)
    assert page.count('href="/app/runs?from=1&amp;to=1"') == 2
    assert "from=2" not in page
    assert page.count("<title>1 Nov: resolved 30, to a person 1</title>") == 1
    assert 'role="group"' in page

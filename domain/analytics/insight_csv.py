"""Write the insight report and the knowledge gaps as CSV files. The columns are the fields of the
JSON responses."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import Final

from pydantic import BaseModel

from domain.analytics.first_answers import FirstAnswerFigures
from domain.analytics.gaps import EXAMPLES, KnowledgeGap, KnowledgeGaps, QuestionCount
from domain.analytics.insight import Figures, Insight, Period, SliceFigures
from domain.core.csv_cells import Cell, csv_file
from domain.core.money import Money

_PERIOD: Final = ("part", "key", "name", "from", "to", "counted", "missing")
_LAST: Final = tuple(FirstAnswerFigures.model_fields)
_FIGURES: Final = (
    *(name for name in Figures.model_fields if name not in _LAST),
    *(
        name
        for name in SliceFigures.model_fields
        if name not in {*Figures.model_fields, *_PERIOD, "refunded"}
    ),
    *_LAST,
)
# The amounts in a row, such as “12.00 EUR 5.00 USD”.
_REFUNDED: Final = "refunded"
_GAP: Final = (
    *("label", "count", "share", "classes", "languages"),
    *(f"example_{number}" for number in range(1, EXAMPLES + 1)),
    *("answer", "knowledge", "first_seen", "last_seen"),
)


def insight_csv(insight: Insight) -> bytes:
    """Return the insight report as a CSV file.

    It has one line each for the range, the previous range, their difference, and each category,
    playbook, channel and escalation reason. The `part` column names the kind of line. Cells that do
    not apply are empty.
    """
    return csv_file((*_PERIOD, *_FIGURES, _REFUNDED), _insight_lines(insight))


def gaps_csv(gaps: KnowledgeGaps) -> bytes:
    """Return a CSV file with one line for each knowledge gap."""
    return csv_file(_GAP, (_gap_line(gap) for gap in gaps.gaps))


def _insight_lines(insight: Insight) -> Iterator[list[Cell]]:
    yield _period_line("period", insight.period)
    if insight.previous is not None:
        yield _period_line("previous", insight.previous)
    if insight.change is not None:
        yield [*_padded("change"), *(insight.change.get(name) for name in _FIGURES), None]
    parts = {
        "class": insight.by_class,
        "playbook": insight.by_playbook,
        "channel": insight.by_channel,
    }
    for part, found in parts.items():
        for one in found:
            yield [*_padded(part, one.key, one.name), *_figures(one), _amounts(one.refunded)]
    for reason in insight.by_reason:
        row_cells: dict[str, Cell] = {"escalated": reason.escalated, "escalation_rate": reason.rate}
        yield [*_padded("reason", reason.reason), *(row_cells.get(name) for name in _FIGURES), None]


def _period_line(part: str, period: Period) -> list[Cell]:
    days: list[Cell] = [period.first, period.last, period.counted, period.missing]
    return [part, None, None, *days, *_figures(period.figures), _amounts(period.refunded)]


def _amounts(amounts: Sequence[Money]) -> str:
    return " ".join(map(str, amounts))


def _padded(part: str, key: str | None = None, name: str | None = None) -> list[Cell]:
    """Return the leading cells of a line. The cells for days are empty."""
    return [part, key, name, *[None] * (len(_PERIOD) - 3)]


def _figures(row_cells: BaseModel) -> list[Cell]:
    values = row_cells.model_dump()
    return [values.get(name) for name in _FIGURES]


def _gap_line(gap: KnowledgeGap) -> list[Cell]:
    examples: list[Cell] = [one.text for one in gap.examples]
    return [
        gap.label,
        gap.count,
        gap.share,
        _tallies(gap.classes),
        _tallies(gap.languages),
        *examples,
        *[None] * (EXAMPLES - len(examples)),
        gap.answer.text if gap.answer else None,
        gap.knowledge.title if gap.knowledge else None,
        gap.first_seen,
        gap.last_seen,
    ]


def _tallies(tallies: Sequence[QuestionCount]) -> str:
    return " ".join(f"{one.value or '?'}:{one.count}" for one in tallies)


def csv_name(what: str, first: date | datetime, last: date | datetime) -> str:
    """Return the name of a CSV file for the days from `first` to `last`. `what` is the beginning of
    the name."""
    return f"{what}-{first:%Y-%m-%d}-{last:%Y-%m-%d}.csv"

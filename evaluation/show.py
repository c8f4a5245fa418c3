"""Print the evaluation report."""

from collections.abc import Iterable, Sequence
from typing import Final

from rich.console import Console
from rich.table import Table

from domain.agent.brain import Category
from evaluation.aims import Aim
from evaluation.contestant import Contestant
from evaluation.figure import HandFigure
from evaluation.message import LANGUAGES, Tone
from evaluation.score import Score, Share, together
from evaluation.sealing import SetPart

_MISS_CHARS: Final = 240


def show(contestant: Contestant, score: Score, out: Console) -> None:
    """Print every metric in `score`, in tables."""
    out.print(_accuracy(score))
    out.print(_kinds(score))
    out.print(_confusion(score))
    out.print(_tones(score))
    out.print(_languages(score))
    out.print(_figures(contestant, score))


def show_figures(figures: Sequence[HandFigure], out: Console) -> None:
    """Print one table per set, with the counts of the open part, the sealed part and both."""
    for name in dict.fromkeys(figure.of for figure in figures):
        table = _table(name.capitalize(), "", *SetPart, wraps=True)
        for figure in (it for it in figures if it.of == name):
            shares = figure.shares
            cells = (_counted(shares[part]) if part in shares else "" for part in SetPart)
            table.add_row(figure.text, *cells)
        out.print(table)


def show_misses(figures: Sequence[HandFigure], out: Console) -> None:
    """Print every row that counts against a metric, one per line."""
    for figure in figures:
        out.print(f"{figure.of}: {figure.text}: {len(figure.misses)}", style="bold", markup=False)
        for hit in figure.misses:
            one_line = " ".join(f"{hit.id} {hit.detail}".split())
            out.print(one_line[:_MISS_CHARS], markup=False, highlight=False, soft_wrap=True)


def show_aims(aims: Iterable[Aim], out: Console) -> None:
    table = _table("Aims", "", "reached", "", wraps=True)
    for aim in aims:
        mark = "[green]met[/]" if aim.met else "[bold red]missed[/]"
        table.add_row(aim.text, aim.reached, mark)
    out.print(table)


def _accuracy(score: Score) -> Table:
    table = _table("Accuracy by class", "", "messages", "all", *LANGUAGES)
    for category in Category:
        each = [score.accuracy[language, category] for language in LANGUAGES]
        _add_shares(table, category, each)
    table.add_section()
    _add_shares(
        table,
        "all",
        [together(score.accuracy[language, c] for c in Category) for language in LANGUAGES],
    )
    return table


def _tones(score: Score) -> Table:
    table = _table("Sentiment accuracy by class", "", "messages", "all", *LANGUAGES)
    for tone in Tone:
        _add_shares(table, tone, [score.tones[language, tone] for language in LANGUAGES])
    table.add_section()
    _add_shares(
        table, "all", [together(score.tones[language, t] for t in Tone) for language in LANGUAGES]
    )
    return table


def _kinds(score: Score) -> Table:
    table = _table("Accuracy by kind", "", "messages", "accuracy")
    for kind, share in score.kinds.items():
        table.add_row(kind, str(share.total), _percent(share))
    return table


def _languages(score: Score) -> Table:
    table = _table("Language detected correctly", "", "messages", "accuracy")
    for language, share in score.languages.items():
        table.add_row(language, str(share.total), _percent(share))
    return table


def _confusion(score: Score) -> Table:
    # The table must fit into 80 columns, so category names take two lines and the edges have no
    # padding.
    given_names = (category.replace("_", "\n") for category in Category)
    table = _table("Right class (rows) and class given", "", *given_names)
    table.pad_edge = False
    for right in Category:
        counts = (score.confusion[right, given] for given in Category)
        table.add_row(right, *(str(count) if count else "·" for count in counts))
    return table


def _figures(contestant: Contestant, score: Score) -> Table:
    table = _table("Calibration, speed and cost", "", "")
    table.add_row("expected calibration error, 10 bins", f"{score.calibration_error:.3f}")
    table.add_row("a message, median", f"{score.median_ms:.2f} ms")
    table.add_row("a message, 95th percentile", f"{score.p95_ms:.2f} ms")
    if contestant.model_bytes is not None:
        table.add_row("model files", f"{contestant.model_bytes / 1_000_000:.2f} MB")
    else:
        table.add_row("tokens, all messages", f"{score.tokens:,}")
        table.add_row("cost, all messages", f"{score.cost_micros / 1_000_000:.4f} USD")
    for code, count in score.failures.most_common():
        table.add_row(f"[bold red]not answered: {code}[/]", str(count))
    return table


def _table(title: str, *columns: str, wraps: bool = False) -> Table:
    """Return an empty table with the given columns. If `wraps` is true, the first column may
    wrap."""
    table = Table(title=title, title_justify="left")
    for place, name in enumerate(columns):
        whole = place > 0 or not wraps
        table.add_column(name, justify="right" if place else "left", no_wrap=whole)
    return table


def _add_shares(table: Table, name: str, each: Sequence[Share]) -> None:
    whole = together(each)
    table.add_row(name, str(whole.total), _percent(whole), *(_percent(one) for one in each))


def _counted(share: Share) -> str:
    return f"{share.right}/{share.total} {_percent(share)}"


def _percent(share: Share) -> str:
    return f"{share.value:.1%}" if share.total else ""

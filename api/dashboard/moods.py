"""The chart of a customer's sentiment on conversation and customer pages."""

from collections.abc import Iterable

from api.dashboard.charts import Sparkline, sparkline
from api.dashboard.page import Page


def mood_line(page: Page, scores: Iterable[float | None]) -> Sparkline | None:
    """Return a sentiment chart, or None for fewer than two scores. `scores` are from -1 to 1,
    oldest first, without unknown ones."""
    values = [one for one in scores if one is not None]
    if len(values) < 2:
        return None
    said = " ".join(page.formats.number(one, 1) for one in values)
    return sparkline(page.say("runs.talk.moods", moods=said), [one + 1 for one in values], top=2)

"""A short explanation of a run's outcome."""

from collections.abc import Iterator

from rich.markup import escape

from domain.runs.trace import RunTrace


def why_rows(trace: RunTrace) -> tuple[tuple[str, str], ...]:
    """Return the explanation as pairs of label and text, in chronological order. Empty texts are
    omitted."""
    return tuple((name, escape(text)) for name, text in _rows(trace) if text)


def _rows(trace: RunTrace) -> Iterator[tuple[str, str]]:
    if trace.lookup:
        found = f" #{trace.lookup.order.number}" if trace.lookup.order else ""
        yield "looked up", f"order{found}: {trace.lookup.state}"
    yield "rests on", ", ".join(f"{it.kind} “{it.title}”" for it in trace.thought.citations)
    yield (
        "policy",
        ", ".join(
            f"{it.kind} {it.ruling}" + (f" ({it.reason})" if it.reason else "")
            for it in trace.verdicts
        ),
    )
    yield "handed over", trace.handoff_reason or ""
    for review in trace.reviews:
        people = [who for who in (review.first_approved_by, review.decided_by) if who]
        yield "review", f"{review.status}" + (f" by {' and '.join(people)}" if people else "")
    for effect in trace.effects:
        amount = f" {effect.amount}" if effect.amount else ""
        where = f" of {effect.order_key}" if effect.order_key else ""
        reference = f", {effect.reference}" if effect.reference else ""
        yield "ledger", f"{effect.action}{amount}{where}: {effect.state}{reference}"

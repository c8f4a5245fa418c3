"""The embedded copilot's answers about the cost of language models and about failed runs."""

from datetime import timedelta
from typing import Final

from domain.copilot.answer import CitedKind
from domain.copilot.periods import NamedPeriod, days_in, period_named
from domain.copilot.phrases import phrase
from domain.copilot.question_kind import AskedOfCopilot
from domain.copilot.words import plain_words
from domain.core.period import period_of
from services.copilot.answers_on_work import who
from services.copilot.copilot_service import Trail
from services.copilot.tools.failed_runs_tool import READ_FAILED_RUNS, FailedRunsWanted
from services.copilot.tools.model_costs_tool import READ_MODEL_COSTS, ModelCostsAsked

_SHOWN: Final = 5
_WEEK: Final = timedelta(days=6)


async def on_model_costs(trail: Trail, asked: AskedOfCopilot) -> str:
    """Answer a question about the cost of language models, this month or last month."""
    period = period_of(trail.copilot.now)
    if period_named(plain_words(asked.text)) is NamedPeriod.LAST_MONTH:
        period = period_of(trail.copilot.now.replace(day=1) - timedelta(days=1))
    found = await trail.use(READ_MODEL_COSTS, ModelCostsAsked(period=period))
    formats, tongue = trail.formats, asked.tongue
    return phrase(
        tongue,
        "model_costs" if found.calls or found.spent.minor else "no_model_costs",
        period=found.period,
        spent=formats.money(found.spent),
        calls=formats.number(found.calls),
        page=trail.link(CitedKind.USAGE, found.period, phrase(tongue, "usage_page")),
    )


async def on_failed_runs(trail: Trail, asked: AskedOfCopilot) -> str:
    """Answer a question about failed runs, by default in the last seven days, today included."""
    today, tongue, formats = trail.copilot.now.date(), asked.tongue, trail.formats
    period = period_named(plain_words(asked.text))
    first, last = days_in(period, today) if period else (today - _WEEK, today)
    found = await trail.use(
        READ_FAILED_RUNS, FailedRunsWanted(first=first, last=last, limit=_SHOWN)
    )
    between = (
        phrase(tongue, "on_day", day=formats.day(first))
        if first == last
        else phrase(tongue, "from_to", first=formats.day(first), last=formats.day(last))
    )
    if not found.count:
        return phrase(tongue, "no_failed_runs", between=between)
    count = formats.number(found.count)
    lines = [
        phrase(
            tongue,
            "failed_runs",
            between=between,
            count=phrase(tongue, "at_least", count=count) if found.is_partial else count,
        )
    ]
    lines += [
        phrase(
            tongue,
            "failed_run_line",
            when=formats.when(one.received_at),
            who=trail.link(CitedKind.RUN, one.run_id, who(one.customer, tongue)),
            reason=one.error_code or "–",
        )
        for one in found.latest
    ]
    lines.append(trail.link(CitedKind.FAILED_RUNS, "failed", phrase(tongue, "all_failed_runs")))
    return "\n".join(lines)

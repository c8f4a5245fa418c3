"""The embedded copilot's answers about metrics: daily metrics, refunds, unhappy customers,
knowledge gaps and churn."""

from datetime import date, datetime, time, timedelta
from typing import Final

from domain.analytics.metrics import day_before
from domain.copilot.answer import CitedKind
from domain.copilot.periods import NamedPeriod, days_in, period_named, whole_days_in
from domain.copilot.phrases import phrase, term
from domain.copilot.question_kind import AskedFigure, AskedOfCopilot
from domain.copilot.words import plain_words
from domain.core.money import Money
from domain.runs.triage import ConversationStatus
from services.copilot.answers_on_account import usage_line
from services.copilot.answers_on_work import short, who
from services.copilot.copilot_service import Trail
from services.copilot.tools.analytics_tool import (
    READ_CHURN,
    READ_METRICS,
    ChurnAsked,
    DaysFound,
    DaysWanted,
)
from services.copilot.tools.gaps_tool import READ_GAPS, GapsAsked
from services.copilot.tools.refunds_tool import READ_REFUNDS, RefundsFound, RefundsWanted
from services.copilot.tools.unhappy_tool import READ_UNHAPPY, UnhappyFacts, UnhappyWanted

_WEEK: Final = timedelta(days=6)
_MONTH: Final = timedelta(days=29)
_SHOWN: Final = 5


async def on_metrics(trail: Trail, asked: AskedOfCopilot) -> str:
    """Answer a question about daily metrics, by default for the last seven full days. The requested
    metric comes first."""
    tongue, last = asked.tongue, day_before(trail.copilot.now)
    period = period_named(plain_words(asked.text))
    first, last = whole_days_in(period, last) if period else (last - _WEEK, last)
    found = await trail.use(READ_METRICS, DaysWanted(first=first, last=last))
    between = _between(trail, asked, first, last)
    lines: list[str] = []
    if asked.figure is AskedFigure.VOLUME and period is NamedPeriod.THIS_MONTH:
        lines.append(await usage_line(trail, tongue))
    if not found.counted:
        return "\n".join(lines) or phrase(tongue, "no_metrics", between=between)
    match asked.figure:
        case AskedFigure.AUTOMATION:
            lines.append(_automation(trail, asked, found, between))
        case AskedFigure.SATISFACTION:
            lines.append(_satisfaction(trail, asked, found, between))
        case AskedFigure.SPEED:
            lines.append(_speed(trail, asked, found, between))
        case AskedFigure.VOLUME:
            lines.append(_totals(trail, asked, found, between))
        case None:
            lines.append(_totals(trail, asked, found, between))
            lines += [_speed(trail, asked, found, between)]
            lines += [_satisfaction(trail, asked, found, between)]
    return "\n".join(lines)


def _totals(trail: Trail, asked: AskedOfCopilot, found: DaysFound, between: str) -> str:
    formats, figures = trail.formats, found.figures
    return phrase(
        asked.tongue,
        "metrics",
        between=between,
        asked=formats.number(figures.asked),
        resolution=formats.percent(figures.resolution_rate),
        automation=formats.percent(figures.automation_rate),
        escalated=formats.number(figures.escalated),
    )


def _automation(trail: Trail, asked: AskedOfCopilot, found: DaysFound, between: str) -> str:
    formats, figures, tongue = trail.formats, found.figures, asked.tongue
    change = found.change.get("automation_rate")
    points = ""
    if change is not None:
        sign = "+" if change >= 0 else "−"
        points = phrase(tongue, "points", points=f"{sign}{formats.number(abs(change) * 100)}")
    return phrase(
        tongue,
        "automation",
        between=between,
        rate=formats.percent(figures.automation_rate),
        alone=formats.number(figures.resolved_alone),
        asked=formats.number(figures.asked),
        points=points,
    )


def _satisfaction(trail: Trail, asked: AskedOfCopilot, found: DaysFound, between: str) -> str:
    formats, figures = trail.formats, found.figures
    if not figures.rated:
        return phrase(asked.tongue, "no_ratings", between=between)
    return phrase(
        asked.tongue,
        "satisfaction",
        between=between,
        share=formats.percent(figures.satisfied_share),
        mean=formats.number(figures.rating_mean, 1),
        rated=formats.number(figures.rated),
    )


def _speed(trail: Trail, asked: AskedOfCopilot, found: DaysFound, between: str) -> str:
    formats, figures = trail.formats, found.figures
    if figures.latency_p50_ms is None or figures.latency_p95_ms is None:
        return phrase(asked.tongue, "no_speed", between=between)
    return phrase(
        asked.tongue,
        "speed",
        between=between,
        p50=formats.span(figures.latency_p50_ms / 1000),
        p95=formats.span(figures.latency_p95_ms / 1000),
    )


async def on_topics(trail: Trail, asked: AskedOfCopilot) -> str:
    """Answer a question about the most frequent topics, by default in the last 30 full days."""
    tongue, last = asked.tongue, day_before(trail.copilot.now)
    period = period_named(plain_words(asked.text))
    first, last = whole_days_in(period, last) if period else (last - _MONTH, last)
    found = await trail.use(READ_METRICS, DaysWanted(first=first, last=last))
    between, formats = _between(trail, asked, first, last), trail.formats
    topics = [one for one in found.by_topic if one.asked]
    if not topics:
        return phrase(tongue, "no_metrics", between=between)
    lines = [
        phrase(tongue, "topics_head", between=between, asked=formats.number(found.figures.asked))
    ]
    lines += [
        phrase(
            tongue,
            "topic_line",
            topic=term(tongue, one.topic or "no_topic"),
            count=formats.number(one.asked),
            share=formats.percent(one.asked / found.figures.asked),
        )
        for one in topics[:_SHOWN]
    ]
    return "\n".join(lines)


async def on_refunds(trail: Trail, asked: AskedOfCopilot) -> str:
    """Answer a question about refunds by the agent: the total, the totals by topic, and the latest
    refunds. The default period is the last 30 days."""
    first, last = _days(trail, asked, _MONTH)
    since, until = _moments(trail, first, last)
    found = await trail.use(READ_REFUNDS, RefundsWanted(since=since, until=until, limit=_SHOWN))
    tongue, formats = asked.tongue, trail.formats
    between = _between(trail, asked, first, last)
    if not found.topics:
        return phrase(tongue, "no_refunds", between=between)
    count = sum(one.refunds for one in found.topics)
    head = "refunds_one" if count == 1 else "refunds"
    if found.is_partial:
        head = "refunds_partial"
    lines = [
        phrase(tongue, head, between=between, sums=_sums(trail, found), count=formats.number(count))
    ]
    lines += [
        phrase(
            tongue,
            "refunds_topic",
            topic=term(tongue, one.topic or "no_topic"),
            sum=formats.money(one.total),
            count=formats.number(one.refunds),
        )
        for one in found.topics
        if asked.by_reason or len(found.topics) > 1
    ]
    if not asked.by_reason:
        lines.append(phrase(tongue, "refunds_latest"))
        lines += [
            phrase(
                tongue,
                "refund_line",
                sum=formats.money(one.amount),
                who=trail.link(CitedKind.RUN, one.run_id, who(one.customer, tongue)),
                order=one.order.text if one.order else "–",
                when=formats.when(one.at),
            )
            for one in found.latest
        ]
    return "\n".join(lines)


def _sums(trail: Trail, found: RefundsFound) -> str:
    sums: dict[str, int] = {}
    for one in found.topics:
        sums[one.total.currency] = sums.get(one.total.currency, 0) + one.total.minor
    return ", ".join(
        trail.formats.money(Money(minor=minor, currency=currency))
        for currency, minor in sums.items()
    )


async def on_unhappy(trail: Trail, asked: AskedOfCopilot) -> str:
    """Answer a question about complaints and unhappy customers: the number of conversations, how
    many of them are unanswered, and the latest messages. The default period is today."""
    first, last = _days(trail, asked, timedelta())
    since, until = _moments(trail, first, last)
    found = await trail.use(READ_UNHAPPY, UnhappyWanted(since=since, until=until))
    tongue, between = asked.tongue, _between(trail, asked, first, last)
    if not found.conversations:
        return phrase(tongue, "no_unhappy", between=between)
    count = trail.formats.number(len(found.conversations))
    unanswered = sum(one.is_unanswered for one in found.conversations)
    lines = [
        phrase(
            tongue,
            "unhappy_one" if len(found.conversations) == 1 else "unhappy",
            between=between,
            count=phrase(tongue, "at_least", count=count) if found.has_more else count,
            unanswered=trail.formats.number(unanswered),
        )
    ]
    lines += [_unhappy(one, trail, asked) for one in found.conversations[:_SHOWN]]
    if len(found.conversations) > _SHOWN:
        more = phrase(tongue, "all_unhappy")
        lines.append(trail.link(CitedKind.UNHAPPY, "unhappy", more))
    return "\n".join(lines)


def _unhappy(one: UnhappyFacts, trail: Trail, asked: AskedOfCopilot) -> str:
    state = "unanswered" if one.is_unanswered else "answered"
    if one.status is ConversationStatus.CLOSED:
        state = "closed"
    return phrase(
        asked.tongue,
        "unhappy_line",
        who=trail.link(
            CitedKind.CONVERSATION, one.conversation_id, who(one.customer, asked.tongue)
        ),
        when=trail.formats.when(one.last_message_at),
        text=short(one.latest_message) if one.latest_message else "–",
        state=term(asked.tongue, state),
    )


async def on_churn(trail: Trail, asked: AskedOfCopilot) -> str:
    """Answer a question about customers who are likely to leave."""
    found, tongue = (await trail.use(READ_CHURN, ChurnAsked())).customers, asked.tongue
    if not found:
        return phrase(tongue, "no_churn")
    lines = [phrase(tongue, "churn_head", day=trail.formats.day(found[0].week))]
    lines += [
        phrase(
            tongue,
            "churn_line",
            who=who(one.customer, tongue),
            score=trail.formats.number(one.score, 2),
            level=term(tongue, one.level),
            factors=", ".join(term(tongue, factor) for factor in one.factors) or "–",
        )
        for one in found
    ]
    return "\n".join(lines)


async def on_gaps(trail: Trail, asked: AskedOfCopilot) -> str:
    """Answer a question about topics that the knowledge base does not cover."""
    found, tongue = await trail.use(READ_GAPS, GapsAsked()), asked.tongue
    days = trail.formats.number(found.days)
    if not found.gaps:
        return phrase(tongue, "no_gaps", days=days)
    lines = [phrase(tongue, "gaps_head", days=days)]
    lines += [
        phrase(
            tongue,
            "gap_line_one" if one.tickets == 1 else "gap_line",
            tickets=trail.formats.number(one.tickets),
            label=trail.link(CitedKind.RUN, one.run_id, short(one.label) if one.label else "–"),
            example=short(one.example) if one.example else "–",
        )
        for one in found.gaps
    ]
    return "\n".join(lines)


def _days(trail: Trail, asked: AskedOfCopilot, otherwise: timedelta) -> tuple[date, date]:
    """Return the first and last day that the question names, in the user's time zone. The default
    is the last `otherwise` days, including today."""
    today = trail.copilot.now.astimezone(trail.copilot.zone).date()
    period = period_named(plain_words(asked.text))
    return days_in(period, today) if period else (today - otherwise, today)


def _moments(trail: Trail, first: date, last: date) -> tuple[datetime, datetime]:
    """Return the start of the first day and the end of the last day, in the user's time zone."""
    zone = trail.copilot.zone
    return (
        datetime.combine(first, time(), zone),
        datetime.combine(last + timedelta(days=1), time(), zone),
    )


def _between(trail: Trail, asked: AskedOfCopilot, first: date, last: date) -> str:
    if first == last:
        return phrase(asked.tongue, "on_day", day=trail.formats.day(first))
    return phrase(
        asked.tongue,
        "from_to",
        first=trail.formats.day(first),
        last=trail.formats.day(last),
    )

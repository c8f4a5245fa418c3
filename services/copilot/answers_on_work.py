"""The embedded copilot's answers about the agent's work: outcomes of runs, the review queue,
customers, orders, metrics."""

import re
from typing import Final

from domain.agent.policy_decision import Ruling
from domain.copilot.phrases import day, number, percent, phrase, span, term
from domain.copilot.question_kind import AskedOfCopilot
from domain.copilot.tool import Quoted
from domain.copilot.words import Tongue, plain_words
from domain.runs.errors import RunNotFound
from services.copilot.copilot_service import Trail
from services.copilot.tools.analytics_tool import (
    READ_CHURN,
    READ_METRICS,
    ChurnAsked,
    DaysWanted,
)
from services.copilot.tools.conversations_tool import (
    FIND_CONVERSATIONS,
    READ_CONVERSATION,
    CustomerWanted,
    ThreadFound,
    ThreadWanted,
)
from services.copilot.tools.gaps_tool import READ_GAPS, GapsAsked
from services.copilot.tools.reviews_tool import LIST_REVIEWS, QueueWanted
from services.copilot.tools.runs_tool import (
    READ_RUN,
    RUNS_OF_ORDER,
    RunNamed,
    RunReport,
    RunsOfOrder,
)

_SHOWN_CHARS: Final = 160
_TICKET: Final = re.compile(
    r"(?:ticket|run|demande|message|ex[ée]cution|review|validation)\s+(?:n[o°]\s?)?"
    r"[\"'«]?([A-Za-z0-9][\w\-:.]{1,100})",
    re.IGNORECASE,
)
# A word after `ticket` is not a ticket id if it contains no digit, as in `le ticket a-t-il été
# transmis`.
_DIGIT: Final = re.compile(r"\d")
# The number of days to which a question refers. If the question names no period, it is a week.
_DAYS: Final = {
    "yesterday": 1, "hier": 1, "month": 30, "mois": 30, "trimestre": 90, "quarter": 90,
}  # fmt: skip
_WEEK: Final = 7
_WHOLE_TEXT: Final = 4_000


async def on_run(trail: Trail, asked: AskedOfCopilot) -> str:
    """Explain the run that the question identifies by the id of a ticket, run or review, or by its
    customer. If it names a customer, explain the run for that customer's latest message."""
    tongue = asked.tongue
    tickets = (one for one in _TICKET.findall(asked.text[:_WHOLE_TEXT]) if _DIGIT.search(one))
    names = [asked.record_id, asked.order, *tickets]
    for name in dict.fromkeys(one for one in names if one):
        try:
            return _run(await trail.use(READ_RUN, RunNamed(named=name)), tongue)
        except RunNotFound:
            continue
    if asked.email is not None:
        thread = await _latest_thread(trail, asked.email)
        if thread is None:
            return phrase(tongue, "no_customer", email=asked.email)
        run_id = next((one.run_id for one in reversed(thread.messages) if one.run_id), None)
        if run_id is not None:
            return _run(await trail.use(READ_RUN, RunNamed(named=run_id)), tongue)
    return phrase(tongue, "no_run" if any(names) else "which_run")


def _run(found: RunReport, tongue: Tongue) -> str:
    lines = [
        phrase(
            tongue,
            "run_head",
            who=_who(found.customer, tongue),
            day=day(tongue, found.received_at),
            playbook=found.playbook,
            status=term(tongue, found.status),
        )
    ]
    reason = found.handoff_reason or found.hold or found.doubt
    if reason is not None:
        lines.append(phrase(tongue, "run_reason", reason=term(tongue, reason)))
    if found.sensitive is not None:
        matter = term(tongue, found.sensitive)
        lines.append(phrase(tongue, "run_sensitive", matter=matter))
    if found.confidence is not None:
        lines.append(
            phrase(
                tongue,
                "run_confidence",
                confidence=number(tongue, found.confidence, 2),
                threshold=number(tongue, found.threshold, 2),
                classification=found.classification or "–",
            )
        )
    lines += [
        phrase(
            tongue,
            "run_verdict",
            action=term(tongue, one.kind),
            ruling=term(tongue, one.ruling),
            reason=term(tongue, one.reason) if one.reason else "–",
        )
        for one in found.verdicts
        if one.ruling is not Ruling.ALLOWED
    ]
    return "\n".join([*lines, *_outcome(found, tongue)])


def _outcome(found: RunReport, tongue: Tongue) -> list[str]:
    lines = [
        phrase(tongue, "run_review", status=term(tongue, one.status)) for one in found.reviews[-1:]
    ]
    if found.error_code:
        lines.append(phrase(tongue, "run_error", code=found.error_code))
    if not found.reviews and found.handoff_reason is None and found.answer is not None:
        lines.append(phrase(tongue, "run_alone"))
    if found.answer is not None:
        lines.append(phrase(tongue, "run_answer", text=_short(found.answer)))
    return lines


async def on_queue(trail: Trail, asked: AskedOfCopilot) -> str:
    """Return the answer to a question about the open reviews: their number and the oldest of
    them."""
    found, tongue = await trail.use(LIST_REVIEWS, QueueWanted()), asked.tongue
    if not found.reviews:
        return phrase(tongue, "queue_empty")
    now = trail.copilot.now
    oldest = min(one.created_at for one in found.reviews)
    count = number(tongue, len(found.reviews))
    lines = [
        phrase(
            tongue,
            "queue",
            count=phrase(tongue, "at_least", count=count) if found.has_more else count,
            span=span(tongue, oldest, now),
        )
    ]
    for one in found.reviews:
        words = one.subject or one.preview
        lines.append(
            phrase(
                tongue,
                "queue_line",
                who=_who(one.customer, tongue),
                what=_short(words) if words else "–",
                reason=term(tongue, one.reason),
                span=span(tongue, one.created_at, now),
            )
        )
    return "\n".join(lines)


async def on_customer(trail: Trail, asked: AskedOfCopilot) -> str:
    """Return the answer to a question about a customer: the end of the customer's latest
    conversation. Ask for the address if the question has none."""
    tongue = asked.tongue
    if asked.email is None:
        return phrase(tongue, "which_customer")
    thread = await _latest_thread(trail, asked.email)
    if thread is None:
        return phrase(tongue, "no_customer", email=asked.email)
    at = day(tongue, thread.conversation.last_message_at)
    lines = [phrase(tongue, "customer_head", email=asked.email, day=at)]
    lines += [
        phrase(tongue, "message_line", author=term(tongue, one.author), text=_short(one.text))
        for one in thread.messages[-4:]
        if one.text is not None
    ]
    if all(one.author == "customer" for one in thread.messages):
        lines.append(phrase(tongue, "not_answered"))
    return "\n".join(lines)


async def _latest_thread(trail: Trail, email: str) -> ThreadFound | None:
    found = await trail.use(FIND_CONVERSATIONS, CustomerWanted(customer=email, limit=1))
    if not found.conversations:
        return None
    latest = found.conversations[0].conversation_id
    return await trail.use(READ_CONVERSATION, ThreadWanted(conversation_id=latest))


async def on_order(trail: Trail, asked: AskedOfCopilot) -> str:
    """Return the answer to a question about an order: its runs. Ask for the number if the question
    has none."""
    tongue = asked.tongue
    if asked.order is None:
        return phrase(tongue, "which_order")
    runs = (await trail.use(RUNS_OF_ORDER, RunsOfOrder(number=asked.order))).runs
    if not runs:
        return phrase(tongue, "no_order", number=asked.order)
    return "\n".join([_order_head(runs[0], asked), *(_order_line(one, tongue) for one in runs)])


def _order_head(latest: RunReport, asked: AskedOfCopilot) -> str:
    order, tongue, called = latest.order, asked.tongue, asked.order or "–"
    if order is None or order.total is None or order.refundable is None:
        return phrase(tongue, "order_head_unknown", number=called, state=term(tongue, "unknown"))
    return phrase(
        tongue,
        "order_head",
        number=called,
        state=term(tongue, order.order_state or "unknown"),
        total=str(order.total),
        refundable=str(order.refundable),
    )


def _order_line(one: RunReport, tongue: Tongue) -> str:
    done = ", ".join(
        f"{term(tongue, each.action)} {each.amount or ''}".strip()
        for each in one.effects
        if each.state == "done"
    )
    return phrase(
        tongue,
        "order_line",
        day=day(tongue, one.received_at),
        who=_who(one.customer, tongue),
        status=term(tongue, one.status),
        effects=f" ({done})" if done else "",
    )


async def on_metrics(trail: Trail, asked: AskedOfCopilot) -> str:
    """Return the answer to a question about metrics of some days, by default of a week."""
    tongue = asked.tongue
    days = next((_DAYS[word] for word in plain_words(asked.text) if word in _DAYS), _WEEK)
    found = await trail.use(READ_METRICS, DaysWanted(days=days))
    between = {"first": day(tongue, found.first), "last": day(tongue, found.last)}
    if not found.days:
        return phrase(tongue, "no_metrics", **between)
    lines = [
        phrase(
            tongue,
            "metrics",
            runs=number(tongue, found.runs),
            messages=number(tongue, found.messages_in),
            resolution=percent(tongue, found.resolution_rate),
            automation=percent(tongue, found.automation_rate),
            escalated=number(tongue, found.escalated),
            failed=number(tongue, found.failed),
            **between,
        )
    ]
    if found.sentiment_mean is not None and found.latency_p95_ms is not None:
        mood, p95 = number(tongue, found.sentiment_mean, 2), number(tongue, found.latency_p95_ms)
        lines.append(phrase(tongue, "metrics_more", sentiment=mood, p95=p95))
    if found.rating_mean is not None:
        rated, mean = number(tongue, found.rated), number(tongue, found.rating_mean, 1)
        lines.append(phrase(tongue, "metrics_rated", rated=rated, mean=mean))
    return "\n".join(lines)


async def on_churn(trail: Trail, asked: AskedOfCopilot) -> str:
    """Return the answer to a question about the customers who are likely to leave."""
    found, tongue = (await trail.use(READ_CHURN, ChurnAsked())).customers, asked.tongue
    if not found:
        return phrase(tongue, "no_churn")
    lines = [phrase(tongue, "churn_head", day=day(tongue, found[0].week))]
    lines += [
        phrase(
            tongue,
            "churn_line",
            who=_who(one.customer, tongue),
            score=number(tongue, one.score, 2),
            level=term(tongue, one.level),
            factors=", ".join(term(tongue, factor) for factor in one.factors) or "–",
        )
        for one in found
    ]
    return "\n".join(lines)


async def on_gaps(trail: Trail, asked: AskedOfCopilot) -> str:
    """Return the answer to a question about the topics that no knowledge covers."""
    found, tongue = await trail.use(READ_GAPS, GapsAsked()), asked.tongue
    if not found.gaps:
        return phrase(tongue, "no_gaps", days=found.days)
    lines = [phrase(tongue, "gaps_head", days=found.days)]
    lines += [
        phrase(
            tongue,
            "gap_line",
            tickets=one.tickets,
            label=_short(one.label) if one.label else "–",
            example=_short(one.example) if one.example else "–",
        )
        for one in found.gaps
    ]
    return "\n".join(lines)


def _who(customer: Quoted | None, tongue: Tongue) -> str:
    return customer.text if customer else term(tongue, "somebody")


def _short(words: Quoted) -> str:
    line = " ".join(words.text.split())
    return line if len(line) <= _SHOWN_CHARS else f"{line[:_SHOWN_CHARS]}…"

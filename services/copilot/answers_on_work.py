"""The embedded copilot's answers about the agent's work: run outcomes, the review queue, open
tasks, customers and orders."""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from operator import itemgetter
from typing import Final

from domain.agent.policy_decision import Ruling
from domain.copilot.answer import CitedKind
from domain.copilot.phrases import phrase, term
from domain.copilot.question_kind import AskedOfCopilot
from domain.copilot.tool import Quoted
from domain.copilot.words import Tongue
from domain.core.ids import parse_ulid
from domain.core.plain_text import shortened
from domain.runs.errors import ConversationNotFound, RunNotFound
from domain.runs.inbox import InboxView
from services.copilot.copilot_service import Trail
from services.copilot.tools.conversations_tool import (
    FIND_CONVERSATIONS,
    READ_CONVERSATION,
    CustomerWanted,
    ThreadFound,
    ThreadWanted,
)
from services.copilot.tools.inbox_tool import (
    READ_INBOX,
    InboxFound,
    InboxWanted,
    TicketFacts,
    ticket_page,
)
from services.copilot.tools.overview_tool import (
    READ_OVERVIEW,
    OverviewAsked,
    OverviewFacts,
    TroubleFacts,
    trouble_page,
)
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
_NAME: Final = re.compile(r"(?<=\s)[A-ZÀ-Þ][\w'’-]{1,60}")
_DIGIT: Final = re.compile(r"\d")
_WHOLE_TEXT: Final = 4_000
_TO_NAME: Final = 3
"""Maximum number of tickets in an answer that also covers other subjects."""
_LONGEST_WAITS: Final = 5
_READ_WAITS: Final = 10
_NAME_CHARS: Final = 200
_QUEUES: Final[Mapping[InboxView, str]] = {
    InboxView.MINE: "queue_mine",
    InboxView.SECOND: "queue_second",
}
"""The phrases about a view of the inbox. The view `needs` has the default ones."""


async def on_run(trail: Trail, asked: AskedOfCopilot) -> str:
    """Explain the run that the question identifies by id, order or customer, else the ticket on the
    user's current page. For an order or a customer, explain the latest message."""
    tongue = asked.tongue
    tickets = (one for one in _TICKET.findall(asked.text[:_WHOLE_TEXT]) if _DIGIT.search(one))
    named = [one for one in (asked.record_id, asked.order, *tickets) if one]
    for name in dict.fromkeys(named or [asked.page_record or ""]):
        found = await _run_named(trail, name)
        if found is not None:
            return _run(found, trail, tongue)
    if asked.email is not None and await _latest_thread(trail, asked.email) is None:
        return phrase(tongue, "no_customer", email=asked.email)
    latest = await _latest_run(trail, asked)
    if latest is not None:
        return _run(latest, trail, tongue)
    if named:
        return phrase(tongue, "no_run")
    waiting = await trail.use(READ_INBOX, InboxWanted(limit=_READ_WAITS))
    return "\n".join([phrase(tongue, "which_run"), *_waits(waiting, trail, tongue, _TO_NAME)])


async def _run_named(trail: Trail, name: str) -> RunReport | None:
    """Return the run for a ticket, run, review or conversation, or None if there is none."""
    if not name:
        return None
    try:
        return await trail.use(READ_RUN, RunNamed(named=name))
    except RunNotFound:
        pass
    if parse_ulid(name) is None:
        return None
    try:
        thread = await trail.use(READ_CONVERSATION, ThreadWanted(conversation_id=name))
    except ConversationNotFound:
        return None
    return await _run_of_thread(trail, thread)


async def _latest_run(trail: Trail, asked: AskedOfCopilot) -> RunReport | None:
    """Return the latest run of the customer or order that the question names, or None."""
    thread: ThreadFound | None = None
    if asked.email is not None:
        thread = await _latest_thread(trail, asked.email)
    elif asked.order is not None:
        runs = (await trail.use(RUNS_OF_ORDER, RunsOfOrder(number=asked.order))).runs
        return runs[0] if runs else None
    elif asked.person is not None:
        wanted = CustomerWanted(words=asked.person[:_NAME_CHARS], limit=1)
        found = (await trail.use(FIND_CONVERSATIONS, wanted)).conversations
        if found:
            thread = await _thread_of(trail, found[0].conversation_id)
    return None if thread is None else await _run_of_thread(trail, thread)


async def _run_of_thread(trail: Trail, thread: ThreadFound) -> RunReport | None:
    run_id = next((one.run_id for one in reversed(thread.messages) if one.run_id), None)
    return await trail.use(READ_RUN, RunNamed(named=run_id)) if run_id else None


def _run(found: RunReport, trail: Trail, tongue: Tongue) -> str:
    formats = trail.formats
    lines = [
        phrase(
            tongue,
            "run_head",
            who=trail.link(CitedKind.RUN, found.run_id, who(found.customer, tongue)),
            day=formats.day(found.received_at),
            playbook=trail.link(CitedKind.PLAYBOOK, found.playbook_id, found.playbook),
            status=term(tongue, found.status),
        )
    ]
    order, reason = found.order, found.handoff_reason or found.hold or found.doubt
    if order is not None and order.refundable is not None and not order.refundable.minor:
        lines.append(phrase(tongue, "run_nothing_left"))
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
                confidence=formats.percent(found.confidence),
                threshold=formats.percent(found.threshold),
                classification=term(tongue, found.classification or "unknown"),
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
        lines.append(phrase(tongue, "run_answer", text=short(found.answer)))
    return lines


async def on_queue(trail: Trail, asked: AskedOfCopilot) -> str:
    """Answer a question about the tickets that wait, in the view of the inbox that the question
    names: their number, and the longest waits."""
    found = await trail.use(READ_INBOX, InboxWanted(view=asked.view, limit=_READ_WAITS))
    overview = await trail.use(READ_OVERVIEW, OverviewAsked())
    head = _queue_head(found, overview, trail, asked)
    return "\n".join([head, *_waits(found, trail, asked.tongue, _LONGEST_WAITS)])


async def on_attention(trail: Trail, asked: AskedOfCopilot) -> str:
    """Answer a question about what needs attention: tickets that wait, and problems."""
    found = await trail.use(READ_INBOX, InboxWanted(limit=_READ_WAITS))
    overview, tongue = await trail.use(READ_OVERVIEW, OverviewAsked()), asked.tongue
    troubles = [_trouble(one, trail, tongue) for one in overview.troubles]
    if not found.count and not troubles:
        return phrase(tongue, "nothing_needs_you")
    head = _queue_head(found, overview, trail, replace(asked, view=InboxView.NEEDS))
    return "\n".join([head, *_waits(found, trail, tongue, _TO_NAME), *troubles])


def _queue_head(
    found: InboxFound, overview: OverviewFacts, trail: Trail, asked: AskedOfCopilot
) -> str:
    tongue, name = asked.tongue, _QUEUES.get(asked.view, "queue")
    since = [one.waiting_since for one in found.tickets if one.waiting_since]
    if not found.count or not since:
        return phrase(tongue, f"{name}_empty")
    count = trail.formats.number(found.count)
    head = phrase(
        tongue,
        name,
        count=phrase(tongue, "at_least", count=count) if found.is_more else count,
        span=trail.formats.since(min(since)),
    )
    if asked.view is not InboxView.NEEDS or not overview.at_stake:
        return head
    sums = ", ".join(trail.formats.money(one) for one in overview.at_stake)
    return f"{head} {phrase(tongue, 'at_stake', sums=sums)}"


def _trouble(one: TroubleFacts, trail: Trail, tongue: Tongue) -> str:
    return phrase(
        tongue,
        f"trouble_{one.kind}",
        name=trail.link(trouble_page(one.kind), one.record_id, one.name),
        failures=trail.formats.number(one.failures),
    )


def _waits(found: InboxFound, trail: Trail, tongue: Tongue, limit: int) -> list[str]:
    """Return one line for each of the longest waits."""
    waiting = [(one.waiting_since, one) for one in found.tickets if one.waiting_since]
    longest = sorted(waiting, key=itemgetter(0))[:limit]
    return [_wait(one, since, trail, tongue) for since, one in longest]


def _wait(one: TicketFacts, since: datetime, trail: Trail, tongue: Tongue) -> str:
    words = one.subject or one.preview
    page = ticket_page(one.review_id, one.conversation_id)
    return phrase(
        tongue,
        "queue_line",
        who=trail.link(*page, who(one.customer, tongue)),
        what=short(words) if words else "–",
        reason=term(tongue, one.reason or "unanswered"),
        span=trail.formats.since(since),
    )


async def on_customer(trail: Trail, asked: AskedOfCopilot) -> str:
    """Answer a question about a customer with the end of the latest conversation. The customer is
    found by address, by name, or by the conversation on the current page. Otherwise, ask for the
    address."""
    tongue = asked.tongue
    if asked.email is not None:
        thread = await _latest_thread(trail, asked.email)
        if thread is None:
            return phrase(tongue, "no_customer", email=asked.email)
        return _thread(thread, trail, tongue)
    name = " ".join(_NAME.findall(asked.text[:_WHOLE_TEXT]))[:_NAME_CHARS]
    if name:
        wanted = CustomerWanted(words=name, limit=1)
        found = (await trail.use(FIND_CONVERSATIONS, wanted)).conversations
        if found:
            return _thread(await _thread_of(trail, found[0].conversation_id), trail, tongue)
    elif asked.page_record is not None:
        try:
            return _thread(await _thread_of(trail, asked.page_record), trail, tongue)
        except ConversationNotFound:
            pass
    return phrase(tongue, "which_customer")


def _thread(thread: ThreadFound, trail: Trail, tongue: Tongue) -> str:
    conversation = thread.conversation
    name = who(conversation.customer, tongue)
    lines = [
        phrase(
            tongue,
            "customer_head",
            email=trail.link(CitedKind.CONVERSATION, conversation.conversation_id, name),
            day=trail.formats.day(conversation.last_message_at),
        )
    ]
    lines += [
        phrase(tongue, "message_line", author=term(tongue, one.author), text=short(one.text))
        for one in thread.messages[-4:]
        if one.text is not None
    ]
    if all(one.author == "customer" for one in thread.messages):
        lines.append(phrase(tongue, "not_answered"))
    return "\n".join(lines)


async def _thread_of(trail: Trail, conversation_id: str) -> ThreadFound:
    """Return the end of a conversation. Raises ConversationNotFound."""
    return await trail.use(READ_CONVERSATION, ThreadWanted(conversation_id=conversation_id))


async def _latest_thread(trail: Trail, email: str) -> ThreadFound | None:
    found = await trail.use(FIND_CONVERSATIONS, CustomerWanted(customer=email, limit=1))
    if not found.conversations:
        return None
    return await _thread_of(trail, found.conversations[0].conversation_id)


async def on_order(trail: Trail, asked: AskedOfCopilot) -> str:
    """Answer a question about an order with its runs. If the question contains no order number, ask
    for it."""
    tongue = asked.tongue
    if asked.order is None:
        return phrase(tongue, "which_order")
    runs = (await trail.use(RUNS_OF_ORDER, RunsOfOrder(number=asked.order))).runs
    if not runs:
        return phrase(tongue, "no_order", number=asked.order)
    head = _order_head(runs[0], trail, asked)
    return "\n".join([head, *(_order_line(one, trail, tongue) for one in runs)])


def _order_head(latest: RunReport, trail: Trail, asked: AskedOfCopilot) -> str:
    order, tongue, called = latest.order, asked.tongue, asked.order or "–"
    if order is None or order.total is None or order.refundable is None:
        return phrase(tongue, "order_head_unknown", number=called, state=term(tongue, "unknown"))
    return phrase(
        tongue,
        "order_head",
        number=called,
        state=term(tongue, order.order_state or "unknown"),
        total=trail.formats.money(order.total),
        refundable=trail.formats.money(order.refundable),
    )


def _order_line(one: RunReport, trail: Trail, tongue: Tongue) -> str:
    done = ", ".join(
        " ".join(
            [
                term(tongue, each.action),
                *([trail.formats.money(each.amount)] if each.amount else []),
            ]
        )
        for each in one.effects
        if each.state == "done"
    )
    return phrase(
        tongue,
        "order_line",
        day=trail.formats.day(one.received_at),
        who=trail.link(CitedKind.RUN, one.run_id, who(one.customer, tongue)),
        status=term(tongue, one.status),
        effects=f" ({done})" if done else "",
    )


def who(customer: Quoted | None, tongue: Tongue) -> str:
    """Return the customer's address, or a text for an unknown customer."""
    return customer.text if customer else term(tongue, "somebody")


def short(words: Quoted) -> str:
    """Return the beginning of a customer's text as one line."""
    return shortened(" ".join(words.text.split()), _SHOWN_CHARS)

"""Format reviews as text for operators."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Final

from rich.markup import escape
from rich.table import Table

from commands.core.listing import facts_table
from commands.runs.attachment import attachment_line
from domain.agent.plan import PlannedAction, StepOutcome
from domain.agent.policy_decision import PolicyDecision
from domain.core.durations import whole
from domain.core.json_time import rfc3339
from domain.integrations.order import Order
from domain.reviews.escalation import OPEN_STATUSES, EscalationStatus
from domain.reviews.review import CaseMessage, Review, ReviewSummary

_NO_WORDS: Final = "none: words are needed, with approve --text"


LISTED: Final = ("review", "run", "age", "why", "draft")


def summary_cells(review: ReviewSummary, now: datetime) -> tuple[str, ...]:
    """Return the cells of one review for a list with the columns of LISTED."""
    words = review.draft_preview
    if review.status in OPEN_STATUSES and not review.can_approve:
        words = _NO_WORDS
    state = () if review.status is EscalationStatus.PENDING else (_status(review),)
    why = ", ".join(("urgent",) * review.urgent + state + (review.reason.value,))
    return review.id, review.run_id, _age(now - review.created_at), why, words


def _age(passed: timedelta) -> str:
    """Return a review's age in minutes, hours or days, rounded to that unit."""
    seconds = max(0.0, passed.total_seconds())
    if (minutes := whole(seconds, 60)) < 120:
        return f"{minutes}m"
    hours = whole(seconds, 3600)
    return f"{hours}h" if hours < 48 else f"{whole(seconds, 86400)}d"


def review_text(review: Review) -> Table:
    """Return a table with all the information that a reviewer needs to decide on a review."""
    table = _table(review)
    table.add_row("from", escape(review.customer_email or "nobody known"))
    for author in review.authors:
        table.add_row("typed by", escape(f"{author}, who cannot approve it"))
    for turn in review.turns:
        table.add_row("earlier", escape(f"{turn.author}: {turn.body}"))
    table.add_row("customer", escape("\n".join(filter(None, (review.subject, review.text)))))
    _add(table, "attachments", (attachment_line(it) for it in review.messages[0].attachments))
    for message in review.messages[1:]:
        files = "".join(f"\n{attachment_line(it)}" for it in message.attachments)
        since = rfc3339(message.received_at, "seconds")
        read = "".join(f"\n{line}" for line in _read(message))
        about = f"{since}, message {message.event_id}"
        table.add_row("then", escape(f"{message.text}\n{about}{read}{files}"))
    if review.latest_message != review.messages[0].event_id and review.status in OPEN_STATUSES:
        revision = f" --revision {review.revision}" if review.revision else ""
        table.add_row("approve with", f"--message {review.latest_message}{revision}")
    table.add_row("draft", escape(review.draft.strip()) or _NO_WORDS)
    if review.draft != review.agent_draft:
        table.add_row("agent's draft", escape(review.agent_draft) or "none")
    _add(table, "rests on", (f"{it.kind}: {it.title}" for it in review.citations))
    others = (f"{it.category.value} {it.confidence:.2f}" for it in review.alternatives)
    _add(table, "or", others)
    if review.order is not None:
        table.add_row("order", escape(_order(review.order)))
    _add(table, "plan", map(_action, review.plan))
    _add(table, "policy", map(_verdict, review.verdicts))
    _add(table, "tried", map(_step, review.steps))
    if review.decided_by:
        table.add_row("decided by", escape(review.decided_by))
    if review.note:
        table.add_row("note", escape(review.note))
    return table


def _read(message: CaseMessage) -> Iterator[str]:
    """Yield descriptions of a message that arrived during the review: its category, requested
    actions, whether the agent answered it, and whether the draft covers it."""
    if message.answered:
        yield "answered by the agent"
    elif message.in_draft:
        yield "in the draft and plan"
    if message.classification:
        yield " ".join(filter(None, (message.classification, message.intent)))
    if message.plan:
        yield f"it asks for: {'; '.join(map(_action, message.plan))}"


def _table(review: ReviewSummary) -> Table:
    table = facts_table(review.id)
    seen = f"{review.classification or 'not classified'}, confidence {review.confidence:.2f}"
    table.add_row("why", f"{review.reason.value}: {seen}")
    if review.urgent:
        table.add_row("urgent", review.sensitive.value if review.sensitive else "yes")
    table.add_row("client", review.client_id)
    table.add_row("status", escape(_status(review)))
    if review.amount is not None:
        table.add_row("at stake", str(review.amount))
    table.add_row("until", rfc3339(review.expires_at, "seconds"))
    return table


def _status(review: ReviewSummary) -> str:
    parts: list[str] = [review.status.value]
    if review.claim is not None:
        parts.append(f"by {review.claim.by} until {review.claim.until:%H:%M}")
    first = review.first_approved_by
    if review.decided_by:
        parts.append("by " + " and ".join(who for who in (first, review.decided_by) if who))
    elif review.needs_second:
        parts.append(
            f"approved by {first}, one more approval needed"
            if first
            else ("two users must approve")
        )
    return ", ".join(parts)


def _add(table: Table, name: str, lines: Iterable[str]) -> None:
    text = "\n".join(lines)
    if text:
        table.add_row(name, escape(text))


def _order(order: Order) -> str:
    return (
        f"{order.number}, {order.state.value}, {order.total}, of which {order.refundable} can be "
        f"given back, placed {order.placed_at:%Y-%m-%d}"
    )


def _action(action: PlannedAction) -> str:
    parts = [action.kind.value]
    if action.amount is not None:
        parts.append(str(action.amount))
    if action.order_number is not None:
        parts.append(f"order {action.order_number}")
    parts += [*action.tags, *filter(None, [action.text])]
    return ", ".join(parts)


def _verdict(verdict: PolicyDecision) -> str:
    why = f": {verdict.reason.value}" if verdict.reason else ""
    return f"{verdict.kind.value} {verdict.ruling.value}{why}"


def _step(step: StepOutcome) -> str:
    return f"{step.kind.value} {step.state.value}" + (f": {step.detail}" if step.detail else "")

"""The SQL that chooses the tickets of a page of the inbox from those of the view's sources."""

from typing import Final

from domain.runs.inbox import NO_ASSIGNEE, InboxFilter, InboxPlace, InboxView
from store.reviews.inbox_sources import (
    CONVERSATION,
    FIRST_REVIEW,
    IS_UNANSWERED,
    NEEDS_TEAM,
    OPEN,
    candidates,
    of_review,
    of_talk,
    order_of,
    sources,
)

# The lookups are scalar subqueries because PostgreSQL might execute EXISTS by reading a complete
# table.
_OF_TALK: Final = """(SELECT {what} FROM ai_conversations AS talk
    WHERE talk.client_id = :client_id AND talk.id = ticket.conversation_id)"""
_OF_REVIEW: Final = """(SELECT {what} FROM escalation_tickets AS review
    WHERE review.client_id = :client_id AND review.id = ticket.review_id)"""
_ASSIGNEE: Final = _OF_TALK.format(what="talk.assignee")
_HOLDER: Final = _OF_REVIEW.format(
    what=f"CASE WHEN review.status IN ({OPEN}) THEN review.claimed_by END"
)
# The category of the review's message, or of the conversation's latest message from the customer.
_CLASSIFICATION: Final = """CASE WHEN ticket.review_id IS NOT NULL THEN (
        SELECT run.classification FROM escalation_tickets AS review
        JOIN engine_runs AS run ON run.client_id = :client_id AND run.id = review.run_id
        WHERE review.client_id = :client_id AND review.id = ticket.review_id)
    ELSE (
        SELECT run.classification FROM (
            SELECT event_id FROM engine_messages
            WHERE client_id = :client_id AND conversation_id = ticket.conversation_id
              AND direction = 'inbound'
            ORDER BY created_at DESC LIMIT 1
        ) AS asked
        JOIN engine_runs AS run ON run.client_id = :client_id AND run.event_id = asked.event_id)
    END"""
# The first review is looked up only for conversations that match all cheaper filters.
_CHOSEN: Final = """
    SELECT ticket.review_id, ticket.conversation_id, found.is_urgent, found.at, found.id
    FROM ({candidates}) AS found
    CROSS JOIN LATERAL (SELECT found.id OFFSET 0) AS talk
    CROSS JOIN LATERAL (
        SELECT CASE WHEN found.is_review THEN found.id ELSE {review} END AS review_id,
               {conversation} AS conversation_id OFFSET 0
    ) AS ticket
    WHERE {filters} ORDER BY {order} LIMIT :limit
"""


def chosen(wanted: InboxFilter, after: InboxPlace | None) -> str:
    """Return the SQL for the next `:limit` tickets of the list. At most `:window` tickets of the
    sources are examined."""
    return _CHOSEN.format(
        candidates=candidates(wanted, after),
        review="NULL" if wanted.view is InboxView.NEEDS else FIRST_REVIEW,
        conversation=CONVERSATION,
        filters=" AND ".join(["found.fits", *_conditions(wanted)]),
        order=order_of(wanted),
    )


def end(wanted: InboxFilter, after: InboxPlace | None) -> str:
    """Return the SQL for the place of the last examined ticket. The result is empty if the sources
    have fewer than `:window` tickets."""
    return f"""SELECT is_urgent, at, id FROM ({candidates(wanted, after)}) AS found
        ORDER BY {order_of(wanted)} OFFSET :window - 1 LIMIT 1"""  # noqa: S608 - our own names


def is_filtered(wanted: InboxFilter) -> bool:
    """Return True if some tickets of the sources may not be in the list."""
    return bool(_conditions(wanted)) or any(one.fits != "true" for one in sources(wanted))


def _conditions(wanted: InboxFilter) -> list[str]:
    """Return the SQL conditions that need tables other than the tables of the source."""
    found = list(sources(wanted))
    has_reviews = any(one.is_review for one in found)
    has_talks = any(not one.is_review for one in found)
    talk = of_talk(wanted.model_copy(update={"assignee": None}))
    review = of_review(wanted)
    is_free = wanted.assignee == NO_ASSIGNEE
    is_all = wanted.view is InboxView.ALL and not wanted.is_of_review
    chosen = {
        f"(found.is_review OR {NEEDS_TEAM})": has_talks and wanted.view is InboxView.NEEDS,
        f"(found.is_review OR {IS_UNANSWERED})": has_talks and wanted.view is InboxView.UNANSWERED,
        "ticket.review_id IS NULL": wanted.view is InboxView.AGENT,
        f"NOT {NEEDS_TEAM}": wanted.view is InboxView.AGENT,
        f"(NOT found.is_review OR {_OF_TALK.format(what=' AND '.join(talk))})": has_reviews
        and bool(talk),
        f"(found.is_review OR {_OF_REVIEW.format(what=' AND '.join(review))})": has_talks
        and bool(review),
        f"(NOT found.is_review OR {_ASSIGNEE} IS NULL)": has_reviews and is_free,
        f"{_HOLDER} IS NULL": is_free,
        f":assignee IN ({_ASSIGNEE}, {_HOLDER})": wanted.assignee not in (None, NO_ASSIGNEE)
        and not is_all,
        f"{_CLASSIFICATION} = :classification": wanted.classification is not None,
    }
    return [sql for sql, is_chosen in chosen.items() if is_chosen]

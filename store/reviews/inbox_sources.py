"""The SQL that finds the tickets of a page of the inbox, before their details are read.

Each view has one or more sources. A source reads one index in the order of the list, so its cost
depends on the page and not on the number of tickets. In the views `needs`, `second`, `unanswered`
and `mine`, the first sources read the indexes of open reviews.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from domain.reviews.escalation import OPEN_STATUSES, Decision
from domain.runs.inbox import NO_ASSIGNEE, ClaimFilter, InboxFilter, InboxPlace, InboxView
from domain.runs.run import RunStatus
from domain.runs.triage import ConversationStatus

OPEN: Final = ", ".join(f"'{status}'" for status in sorted(OPEN_STATUSES, reverse=True))

_EXECUTED: Final = ", ".join(f"'{one.status}'" for one in sorted(Decision) if one.executes)
_IS_OPEN: Final = f"review.status IN ({OPEN})"
# A ticket is listed once. If a conversation has several open reviews, only the first in the queue
# is listed.
_IS_FIRST: Final = f"""NOT EXISTS (
    SELECT FROM escalation_tickets AS other
    WHERE other.client_id = :client_id AND other.conversation_id = review.conversation_id
      AND other.status IN ({OPEN})
      AND (NOT other.urgent, other.created_at, other.id)
          < (NOT review.urgent, review.created_at, review.id))"""
_OF_TALK: Final = f"""SELECT {{what}} FROM escalation_tickets AS review
    WHERE review.client_id = :client_id AND review.conversation_id = talk.id
      AND {_IS_OPEN}"""  # noqa: S608 - our own names
_FIRST_REVIEW: Final = (
    "(" + _OF_TALK.format(what="review.id") + " ORDER BY NOT urgent, created_at, id LIMIT 1)"
)
_HAS_NO_REVIEW: Final = f"NOT EXISTS ({_OF_TALK.format(what='')})"
# For reviews that are older than the column `conversation_id`, the conversation is looked up
# through the review's message.
_CONVERSATION: Final = """coalesce(review.conversation_id, (
    SELECT said.conversation_id FROM engine_runs AS run
    JOIN engine_messages AS said
      ON said.client_id = run.client_id AND said.event_id = run.event_id
     AND said.direction = 'inbound'
    WHERE run.client_id = :client_id AND run.id = review.run_id))"""
# The conversation's latest message. It is checked in addition to `waiting_since`, because an
# earlier version of the service may have stored an answer without clearing that column.
_LATEST: Final = """(
    SELECT direction, event_id FROM engine_messages
    WHERE client_id = :client_id AND conversation_id = talk.id
    ORDER BY created_at DESC LIMIT 1)"""
_IS_UNANSWERED: Final = f"EXISTS (SELECT FROM {_LATEST} AS said WHERE said.direction = 'inbound')"
# The state of the run's last review, or of the review that its message joined.
_LAST_DECISION: Final = """coalesce(
    (SELECT review.status FROM escalation_tickets AS review
     WHERE review.client_id = :client_id AND review.run_id = run.id ORDER BY round DESC LIMIT 1),
    (SELECT review.status FROM escalation_tickets AS review
     WHERE review.client_id = :client_id AND review.id = run.joined_review), '')"""
# The message is unanswered, and the agent is not working on it. Either it has no run, its run
# failed, or its review was rejected or expired. After an approval, the agent sends the answer. CASE
# sets the order: the first check is the cheapest, and excludes most conversations.
NEEDS_TEAM: Final = f"""(CASE WHEN EXISTS ({_OF_TALK.format(what="")}) THEN false ELSE EXISTS (
    SELECT FROM {_LATEST} AS said
    LEFT JOIN engine_runs AS run
      ON run.client_id = :client_id AND run.event_id = said.event_id
    WHERE said.direction = 'inbound' AND (
        run.id IS NULL OR run.status = '{RunStatus.FAILED}'
        OR (run.status = '{RunStatus.NEEDS_REVIEW}'
            AND {_LAST_DECISION} NOT IN ({_EXECUTED})))) END)"""
_WAITS: Final = "talk.waiting_since IS NOT NULL AND talk.closed_at IS NULL"
_IS_AWAKE: Final = "(talk.snoozed_until IS NULL OR talk.snoozed_until <= :now)"
_IS_ASLEEP: Final = "talk.closed_at IS NULL AND talk.snoozed_until > :now"
_IS_CLOSED: Final = "talk.closed_at IS NOT NULL"
_CLAIMED: Final = f"{_IS_OPEN} AND review.claimed_by = {{who}} AND review.claimed_at > :stale"


@dataclass(frozen=True, slots=True)
class InboxSource:
    """One source of a view. `at`: the column that sorts the source. `urgent`: whether the source's
    tickets precede those of the other sources when the longest wait is listed first."""

    table: str
    at: str
    where: str
    review_id: str
    conversation_id: str
    urgent: bool = False

    def sql(self, after: InboxPlace | None, *, newest_first: bool) -> str | None:
        """Return the SQL for the source's next tickets after the place `after`, or None if there
        are none."""
        alias = "review" if self.table == "escalation_tickets" else "talk"
        behind, direction = "", "DESC" if newest_first else "ASC"
        if after is not None and (newest_first or after.urgent == self.urgent):
            behind = f"AND ({self.at}, {alias}.id) {'<' if newest_first else '>'} (:at, :id)"
        elif after is not None and self.urgent:
            return None
        return f"""(
            SELECT {self.review_id} AS review_id, {self.conversation_id} AS conversation_id,
                   {self.urgent} AS is_urgent, {self.at} AS at, {alias}.id
            FROM {self.table} AS {alias}
            WHERE {alias}.client_id = :client_id AND {self.where} {behind}
            ORDER BY {self.at} {direction}, {alias}.id {direction} LIMIT :window
        )"""  # noqa: S608 - our own names


def candidates(wanted: InboxFilter, after: InboxPlace | None) -> str:
    """Return the SQL for the tickets that may be on the next page, with their places in the list.
    All of them are on the page if `InboxReader.page` applies no filters."""
    newest_first = wanted.is_newest_first
    found = [one.sql(after, newest_first=newest_first) for one in _sources(wanted)]
    parts = " UNION ALL ".join(filter(None, found)) or _NOTHING
    order = "at DESC, id DESC" if newest_first else "is_urgent DESC, at, id"
    return f"SELECT * FROM ({parts}) AS sources ORDER BY {order} LIMIT :window"  # noqa: S608


def needs_team() -> str:
    """Return the SQL for the tickets of the view `needs`, in any order, up to `:window`. The rows
    have no columns, because only their number matters."""
    return f"""
        (SELECT FROM escalation_tickets AS review
         WHERE review.client_id = :client_id AND {_IS_OPEN} AND {_IS_FIRST} LIMIT :window)
        UNION ALL
        (SELECT FROM ai_conversations AS talk
         WHERE talk.client_id = :client_id AND {_WAITS} AND {_IS_AWAKE} AND {NEEDS_TEAM}
         LIMIT :window)
        LIMIT :window"""  # noqa: S608 - our own names


_NOTHING: Final = """SELECT NULL::text AS review_id, NULL::text AS conversation_id,
    false AS is_urgent, now() AS at, '' AS id WHERE false"""


def _sources(wanted: InboxFilter) -> Iterator[InboxSource]:
    match wanted.view:
        case InboxView.NEEDS:
            yield from _reviews(wanted, _IS_FIRST)
            yield from _waiting(wanted, NEEDS_TEAM)
        case InboxView.SECOND:
            yield from _reviews(wanted, f"review.first_approved_by IS NOT NULL AND {_IS_FIRST}")
        case InboxView.UNANSWERED:
            yield from _reviews(wanted, f"{_IS_FIRST} AND {_IS_NOT_WAITING}")
            yield from _waiting(wanted, _IS_UNANSWERED)
        case InboxView.MINE:
            yield from _reviews(wanted, _CLAIMED.format(who=":user"))
            is_mine = "talk.assignee = :user"
            yield _talks(f"{is_mine} AND {_not_claimed(':user')} AND {_in_work(wanted)}")
            yield _talks(
                "talk.taken_at IS NOT NULL AND talk.taken_by = :user AND "
                f"({is_mine}) IS NOT TRUE AND {_not_claimed(':user')} AND {_in_work(wanted)}"
            )
        case InboxView.AGENT:
            yield _talks(
                "talk.closed_at IS NULL AND talk.handed_over_at IS NULL AND talk.taken_at IS NULL"
                f" AND {_HAS_NO_REVIEW}"
            )
        case InboxView.ALL if wanted.assignee not in (None, NO_ASSIGNEE):
            yield _talks("talk.assignee = :assignee")
            yield from _reviews(
                wanted, f"{_CLAIMED.format(who=':assignee')} AND {_IS_NOT_ASSIGNED}"
            )
        case InboxView.ALL:
            yield _talks(_indexed(wanted))
        case InboxView.DECIDED:
            yield InboxSource(
                "escalation_tickets",
                "review.decided_at",
                f"review.decided_at IS NOT NULL{_of_review(wanted)}",
                "review.id",
                _CONVERSATION,
            )


_IS_NOT_WAITING: Final = f"""NOT EXISTS (
    SELECT FROM ai_conversations AS talk
    WHERE talk.client_id = :client_id AND talk.id = review.conversation_id
      AND {_WAITS} AND {_IS_AWAKE})"""
_IS_NOT_ASSIGNED: Final = """NOT EXISTS (
    SELECT FROM ai_conversations AS talk
    WHERE talk.client_id = :client_id AND talk.id = review.conversation_id
      AND talk.assignee = :assignee)"""


def _reviews(wanted: InboxFilter, where: str) -> Iterator[InboxSource]:
    """Yield the sources of open reviews. When the longest wait is listed first, urgent reviews are
    a separate source, because they precede all others."""
    condition = f"{_IS_OPEN} AND {where}{_of_review(wanted)}"
    table, at = "escalation_tickets", "review.created_at"
    if wanted.is_newest_first:
        yield InboxSource(table, at, condition, "review.id", _CONVERSATION)
        return
    for urgent in (True, False):
        only = f"review.urgent AND {condition}" if urgent else f"NOT review.urgent AND {condition}"
        yield InboxSource(table, at, only, "review.id", _CONVERSATION, urgent)


def _waiting(wanted: InboxFilter, where: str) -> Iterator[InboxSource]:
    """Yield the source of conversations that wait for an answer. Yield nothing if only closed
    conversations are wanted, because these do not wait."""
    if wanted.status is ConversationStatus.CLOSED:
        return
    when = _IS_ASLEEP if wanted.status is ConversationStatus.SNOOZED else _IS_AWAKE
    condition = f"{_WAITS} AND {when} AND {where}"
    review_id = "NULL::text" if wanted.view is InboxView.NEEDS else _FIRST_REVIEW
    yield InboxSource("ai_conversations", "talk.waiting_since", condition, review_id, "talk.id")


def _talks(where: str) -> InboxSource:
    return InboxSource("ai_conversations", "talk.last_message_at", where, _FIRST_REVIEW, "talk.id")


def _not_claimed(who: str) -> str:
    """Return the SQL that excludes conversations with an open review claimed by `who`. The source
    of claimed reviews already lists these conversations."""
    claimed = _CLAIMED.format(who=who)
    return f"NOT EXISTS ({_OF_TALK.format(what='')} AND {claimed})"


def _in_work(wanted: InboxFilter) -> str:
    """Return the SQL condition for conversations with the chosen status, which is open by
    default."""
    match wanted.status:
        case ConversationStatus.CLOSED:
            return _IS_CLOSED
        case ConversationStatus.SNOOZED:
            return _IS_ASLEEP
        case _:
            return f"talk.closed_at IS NULL AND {_IS_AWAKE}"


def _of_review(wanted: InboxFilter) -> str:
    """Return the SQL for the filters that concern only the review's own columns."""
    chosen = {
        " AND review.reason = :reason": wanted.reason is not None,
        " AND review.amount >= :min_amount": wanted.min_amount is not None,
        " AND review.status = 'claimed'": wanted.claim is ClaimFilter.CLAIMED,
        " AND review.status = 'pending'": wanted.claim is ClaimFilter.PENDING,
    }
    return "".join(sql for sql, is_chosen in chosen.items() if is_chosen)


def _indexed(wanted: InboxFilter) -> str:
    """Return the SQL condition for one of the chosen filters that has an index on conversations.

    Only one index can be used at a time. A second condition in the same source could read all
    conversations, so `InboxReader.page` applies the other filters.
    """
    indexed = {
        "talk.is_critical": wanted.unhappy,
        "talk.taken_at IS NOT NULL": wanted.taken,
        "talk.tags <> '[]'": wanted.tag is not None,
        "talk.closed_at IS NULL": wanted.status is ConversationStatus.OPEN,
        "talk.snoozed_until IS NOT NULL": wanted.status is ConversationStatus.SNOOZED,
        _IS_CLOSED: wanted.status is ConversationStatus.CLOSED,
    }
    return next((sql for sql, is_chosen in indexed.items() if is_chosen), "true")

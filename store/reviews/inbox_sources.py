"""The SQL that finds the tickets of a page of the inbox, before their details are read.

Each view has one or more sources, which read an index in the order of the list. The cost therefore
depends on the page, not on the number of tickets.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from domain.reviews.escalation import OPEN_STATUSES, Decision
from domain.runs.inbox import NO_ASSIGNEE, ClaimFilter, InboxFilter, InboxPlace, InboxView
from domain.runs.run import RunStatus
from domain.runs.triage import ConversationStatus
from store.runs.triage import STATUS

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
FIRST_REVIEW: Final = (
    "(" + _OF_TALK.format(what="review.id") + " ORDER BY NOT urgent, created_at, id LIMIT 1)"
)
# For reviews that are older than the column `conversation_id`, the conversation is looked up
# through the review's message.
CONVERSATION: Final = """coalesce(found.conversation_id, (
    SELECT said.conversation_id FROM engine_runs AS run
    JOIN engine_messages AS said
      ON said.client_id = run.client_id AND said.event_id = run.event_id
     AND said.direction = 'inbound'
    WHERE run.client_id = :client_id AND run.id = found.run_id))"""
# The conversation's latest message. It is checked in addition to `waiting_since` because an earlier
# version of the service may have stored an answer without clearing that column.
_LATEST: Final = """(
    SELECT direction, event_id FROM engine_messages
    WHERE client_id = :client_id AND conversation_id = talk.id
    ORDER BY created_at DESC LIMIT 1)"""
IS_UNANSWERED: Final = f"EXISTS (SELECT FROM {_LATEST} AS said WHERE said.direction = 'inbound')"
# The state of the run's last review, or of the review that its message joined.
_LAST_DECISION: Final = """coalesce(
    (SELECT review.status FROM escalation_tickets AS review
     WHERE review.client_id = :client_id AND review.run_id = run.id ORDER BY round DESC LIMIT 1),
    (SELECT review.status FROM escalation_tickets AS review
     WHERE review.client_id = :client_id AND review.id = run.joined_review), '')"""
# The message is unanswered, and it has no run, its run failed, or its review was rejected or
# expired. The agent is therefore not working on it. CASE checks the cheapest condition first.
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
    """One source of a view.

    - `at`: the column to sort by.
    - `where`: a condition that an index covers, or that filters out few rows.
    - `fits`: the remaining filters, evaluated on a limited number of tickets.
    - `urgent`: if True, this source's tickets come first when sorting by longest wait.
    """

    table: str
    at: str
    where: str
    fits: str = "true"
    urgent: bool = False

    @property
    def is_review(self) -> bool:
        """Return True if the source lists reviews, and False if it lists conversations."""
        return self.table == "escalation_tickets"

    def sql(self, after: InboxPlace | None, *, newest_first: bool) -> str | None:
        """Return the SQL for the source's next tickets after the place `after`, or None if there
        are none."""
        alias = "review" if self.is_review else "talk"
        review = "review.run_id, review.conversation_id"
        columns = review if self.is_review else "NULL::text AS run_id, talk.id AS conversation_id"
        behind, direction = "", "DESC" if newest_first else "ASC"
        if after is not None and (newest_first or after.urgent == self.urgent):
            behind = f"AND ({self.at}, {alias}.id) {'<' if newest_first else '>'} (:at, :id)"
        elif after is not None and self.urgent:
            return None
        return f"""(
            SELECT {self.is_review} AS is_review, {columns}, {self.urgent} AS is_urgent,
                   {self.at} AS at, {alias}.id, {self.fits} AS fits
            FROM {self.table} AS {alias}
            WHERE {alias}.client_id = :client_id AND {self.where} {behind}
            ORDER BY {self.at} {direction}, {alias}.id {direction} LIMIT :window
        )"""  # noqa: S608 - our own names


def candidates(wanted: InboxFilter, after: InboxPlace | None) -> str:
    """Return the SQL for the next `:window` tickets of the view's sources, in any order. Some of
    them may not match the filters."""
    newest_first = wanted.is_newest_first
    found = [one.sql(after, newest_first=newest_first) for one in sources(wanted)]
    parts = " UNION ALL ".join(filter(None, found)) or _NOTHING
    order = order_of(wanted)
    return f"SELECT * FROM ({parts}) AS sources ORDER BY {order} LIMIT :window"  # noqa: S608


def order_of(wanted: InboxFilter) -> str:
    """Return the SQL for the order of the list."""
    return "at DESC, id DESC" if wanted.is_newest_first else "is_urgent DESC, at, id"


def needs_team() -> str:
    """Return the SQL for the tickets of the view `needs`, in any order, up to `:window`. The rows
    have no columns, because only their number matters."""
    return f"""
        (SELECT FROM escalation_tickets AS review
         WHERE review.client_id = :client_id AND {_IS_OPEN} AND {_IS_FIRST} LIMIT :window)
        UNION ALL
        (SELECT FROM ai_conversations AS talk
         WHERE talk.client_id = :client_id AND {_WAITS} AND NOT talk.answer_skipped
           AND {_IS_AWAKE} AND {NEEDS_TEAM}
         LIMIT :window)
        LIMIT :window"""  # noqa: S608 - our own names


_NOTHING: Final = """SELECT false AS is_review, NULL::text AS run_id,
    NULL::text AS conversation_id, false AS is_urgent, now() AS at, '' AS id, false AS fits
    WHERE false"""


def sources(wanted: InboxFilter) -> Iterator[InboxSource]:
    """Yield the sources of the view, with the filters that they apply."""
    match wanted.view:
        case InboxView.NEEDS:
            yield from _reviews(wanted, _IS_FIRST)
            yield from _waiting(wanted, skipped=(False,))
        case InboxView.SECOND:
            yield from _reviews(wanted, f"review.first_approved_by IS NOT NULL AND {_IS_FIRST}")
        case InboxView.UNANSWERED | InboxView.ALL if wanted.is_of_review:
            yield from _reviews(wanted, _IS_FIRST)
        case InboxView.UNANSWERED:
            yield from _reviews(wanted, f"{_IS_FIRST} AND {_IS_NOT_WAITING}")
            yield from _waiting(wanted, skipped=(False, True))
        case InboxView.MINE:
            yield from _mine(wanted)
        case InboxView.AGENT if not wanted.is_of_review:
            is_left = "talk.handed_over_at IS NULL AND talk.taken_at IS NULL"
            yield _talks(wanted, "talk.closed_at IS NULL", is_left)
        case InboxView.ALL:
            yield from _all(wanted)
        case InboxView.DECIDED:
            yield InboxSource(
                "escalation_tickets",
                "review.decided_at",
                "review.decided_at IS NOT NULL",
                _all_of(of_review(wanted)),
            )


def _mine(wanted: InboxFilter) -> Iterator[InboxSource]:
    """Yield the sources of tickets that the caller claimed, that are assigned to the caller, or
    that the caller took over."""
    yield from _reviews(wanted, _CLAIMED.format(who=":user"))
    is_mine = "talk.assignee = :user"
    in_work = f"{_not_claimed(':user')} AND {_in_work(wanted)}"
    yield _talks(wanted, f"{is_mine} AND {in_work}")
    taken = f"talk.taken_at IS NOT NULL AND talk.taken_by = :user AND ({is_mine}) IS NOT TRUE"
    yield _talks(wanted, f"{taken} AND {in_work}")


def _all(wanted: InboxFilter) -> Iterator[InboxSource]:
    """Yield the sources of all tickets, or of those that the chosen member handles."""
    if wanted.assignee in (None, NO_ASSIGNEE):
        yield _talks(wanted, _indexed(wanted))
        return
    yield _talks(wanted, "talk.assignee = :assignee")
    claimed = _CLAIMED.format(who=":assignee")
    yield from _reviews(wanted, f"{claimed} AND {_IS_NOT_ASSIGNED}")


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
    condition = " AND ".join([_IS_OPEN, where, *of_review(wanted)])
    table, at = "escalation_tickets", "review.created_at"
    if wanted.is_newest_first:
        yield InboxSource(table, at, condition)
        return
    for urgent in (True, False):
        only = f"review.urgent AND {condition}" if urgent else f"NOT review.urgent AND {condition}"
        yield InboxSource(table, at, only, urgent=urgent)


def _waiting(wanted: InboxFilter, *, skipped: Iterable[bool]) -> Iterator[InboxSource]:
    """Yield the sources of conversations that are waiting for an answer. `skipped` lists the
    tickets that the agent left without an answer. The index stores these separately.

    Yield nothing for filters on closed conversations or on certain reviews because these do not
    wait.
    """
    if wanted.status is ConversationStatus.CLOSED or wanted.is_of_review:
        return
    when = _IS_ASLEEP if wanted.status is ConversationStatus.SNOOZED else _IS_AWAKE
    for one in skipped:
        kind = "talk.answer_skipped" if one else "NOT talk.answer_skipped"
        condition, fits = f"{_WAITS} AND {kind} AND {when}", _all_of(of_talk(wanted))
        yield InboxSource("ai_conversations", "talk.waiting_since", condition, fits)


def _talks(wanted: InboxFilter, where: str, fits: str = "true") -> InboxSource:
    conditions = _all_of([fits, *of_talk(wanted)])
    return InboxSource("ai_conversations", "talk.last_message_at", where, conditions)


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


def of_review(wanted: InboxFilter) -> list[str]:
    """Return the SQL conditions for the filters that concern only the review's own columns."""
    chosen = {
        "review.reason = :reason": wanted.reason is not None,
        "review.amount >= :min_amount": wanted.min_amount is not None,
        "review.status = 'claimed'": wanted.claim is ClaimFilter.CLAIMED,
        "review.status = 'pending'": wanted.claim is ClaimFilter.PENDING,
    }
    return [sql for sql, is_chosen in chosen.items() if is_chosen]


def of_talk(wanted: InboxFilter) -> list[str]:
    """Return the SQL conditions for the filters that concern only the conversation's own
    columns."""
    chosen = {
        "talk.channel = :channel": wanted.channel is not None,
        f"{STATUS} = :status": wanted.status is not None,
        "talk.assignee IS NULL": wanted.assignee == NO_ASSIGNEE,
        "talk.tags ? :tag": wanted.tag is not None,
        "talk.is_critical": wanted.unhappy,
        "talk.taken_at IS NOT NULL": wanted.taken,
    }
    return [sql for sql, is_chosen in chosen.items() if is_chosen]


def _all_of(conditions: Iterable[str]) -> str:
    return " AND ".join(conditions) or "true"


def _indexed(wanted: InboxFilter) -> str:
    """Return the SQL condition for one of the chosen filters that has an index on conversations.

    Only one index can be used at a time, so `InboxReader.page` applies the other filters.
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

"""Pages of one client's inbox."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from domain.reviews.escalation import CLAIM_LASTS
from domain.runs.inbox import (
    NO_ASSIGNEE,
    ClaimFilter,
    InboxFilter,
    InboxPlace,
    InboxTicket,
    InboxView,
)
from domain.runs.run import RunStatus
from store.core.repository import TenantRepository
from store.reviews.inbox_sources import OPEN, candidates
from store.runs.triage import STATUS

LOOKED_THROUGH: Final = 2_000
"""Maximum number of tickets that are examined for one page of a filtered list. Some filters have no
index."""

_PREVIEW: Final = 200
_IS_OPEN: Final = f"coalesce(review.status IN ({OPEN}), false)"
_WAITS: Final = "said.direction = 'inbound'"
# Without a review, `run` is the run of the conversation's latest message.
_WAITS_FOR_TEAM: Final = (
    f"({_IS_OPEN} OR ({_WAITS} AND run.status IS DISTINCT FROM '{RunStatus.RECEIVED}'))"
)
_PAGE: Final = f"""
    SELECT found.is_urgent AS place_urgent, found.at AS place_at, found.id AS place_id,
           talk.id AS conversation_id, review.id AS review_id,
           coalesce(talk.customer_email, event.unified ->> 'customer_email', event.customer_email)
               AS customer_email,
           event.subject,
           coalesce(left(CASE WHEN review.id IS NULL THEN said.body
                         ELSE coalesce(nullif(event.text, ''), said.body) END, {_PREVIEW}), '')
               AS preview,
           coalesce(talk.channel, event.unified ->> 'channel') AS channel,
           run.classification, review.reason, review.status AS review_status,
           coalesce(review.urgent, false) AS urgent, review.sensitive, review.amount,
           review.currency, coalesce(review.needs_second, false) AS needs_second,
           {_IS_OPEN} AND review.first_approved_by IS NOT NULL AS awaits_second,
           review.claimed_by, review.claimed_at, review.decided_by, review.decided_at,
           CASE WHEN {_IS_OPEN} THEN review.expires_at END AS expires_at,
           talk.assignee, talk.taken_by, talk.handed_over_at IS NOT NULL AS is_handed_over,
           CASE WHEN talk.id IS NOT NULL THEN {STATUS} END AS status,
           coalesce(talk.tags, '[]') AS tags, coalesce(talk.is_critical, false) AS is_critical,
           {_IS_OPEN} OR coalesce({_WAITS}, false) AS is_unanswered,
           coalesce({_WAITS_FOR_TEAM}, false) AS waits_for_team,
           CASE WHEN {_IS_OPEN} THEN review.created_at
                WHEN {_WAITS} THEN coalesce(talk.waiting_since, said.created_at) END
               AS waiting_since,
           talk.last_message_at
    FROM ({{candidates}}) AS found
    LEFT JOIN ai_conversations AS talk
      ON talk.client_id = :client_id AND talk.id = found.conversation_id
    LEFT JOIN escalation_tickets AS review
      ON review.client_id = :client_id AND review.id = found.review_id
    LEFT JOIN engine_runs AS reviewed
      ON reviewed.client_id = :client_id AND reviewed.id = review.run_id
    LEFT JOIN LATERAL (
        SELECT body, direction, created_at FROM engine_messages
        WHERE client_id = :client_id AND conversation_id = talk.id
        ORDER BY created_at DESC, direction LIMIT 1
    ) AS said ON true
    LEFT JOIN LATERAL (
        SELECT event_id FROM engine_messages
        WHERE client_id = :client_id AND conversation_id = talk.id AND direction = 'inbound'
        ORDER BY created_at DESC LIMIT 1
    ) AS asked ON review.id IS NULL
    LEFT JOIN engine_runs AS run
      ON run.client_id = :client_id AND run.event_id = coalesce(reviewed.event_id, asked.event_id)
    LEFT JOIN engine_events AS event
      ON event.client_id = :client_id AND event.id = coalesce(reviewed.event_id, asked.event_id)
    WHERE true {{filters}}
    ORDER BY {{order}}
    LIMIT :limit
"""  # noqa: S608 - our own names
_END: Final = "SELECT is_urgent, at, id FROM ({candidates}) AS found OFFSET :window - 1 LIMIT 1"


class InboxReader(TenantRepository):
    async def page(
        self,
        wanted: InboxFilter,
        *,
        user: str,
        after: InboxPlace | None,
        limit: int,
        now: datetime,
    ) -> tuple[list[InboxTicket], InboxPlace | None]:
        """Return a page of tickets, and the cursor for the next page. On the last page, the cursor
        is None. `user`: the name of the caller, for the view `mine`.

        With a filter that has no index, at most LOOKED_THROUGH tickets are examined. The page may
        then be short although there is a next page.
        """
        filters = outer_filters(wanted)
        window = LOOKED_THROUGH if filters else limit + 1
        values = self._values(wanted, user=user, after=after, now=now)
        values |= {"window": window, "limit": limit + 1}
        sql = candidates(wanted, after)
        order = "at DESC, found.id DESC" if wanted.is_newest_first else _OLDEST
        rows = await self._read(_PAGE.format(candidates=sql, filters=filters, order=order), values)
        tickets = [InboxTicket.model_validate(_fields(row)) for row in rows[:limit]]
        if len(rows) > limit:
            last = rows[limit - 1]
            return tickets, InboxPlace(last.place_urgent, last.place_at, last.place_id)
        end = await self._read(_END.format(candidates=sql), values)
        return tickets, InboxPlace(*end[0]) if end else None

    async def conversations_of(self, review_ids: tuple[str, ...]) -> dict[str, str]:
        """Return the ids of the reviews' conversations, by review id. Reviews without a
        conversation are left out."""
        rows = await self._connection.execute(
            _CONVERSATIONS, {"client_id": self._tenant, "reviews": list(review_ids)}
        )
        return {row.id: row.conversation_id for row in rows}

    async def open_reviews_of(self, conversation_ids: list[str]) -> dict[str, list[str]]:
        """Return the ids of the open reviews, by conversation id."""
        rows = await self._connection.execute(
            _OPEN_REVIEWS, {"client_id": self._tenant, "conversations": conversation_ids}
        )
        found: dict[str, list[str]] = {}
        for row in rows:
            found.setdefault(row.conversation_id, []).append(row.id)
        return found

    async def _read(self, sql: str, values: Mapping[str, object]) -> list[Any]:
        statement = sa.text(sql)
        taken = {name: values[name] for name in statement._bindparams}  # noqa: SLF001
        return list(await self._connection.execute(statement, taken))

    def _values(
        self, wanted: InboxFilter, *, user: str, after: InboxPlace | None, now: datetime
    ) -> dict[str, object]:
        return {
            "client_id": self._tenant,
            "user": user,
            "now": now,
            "stale": now - CLAIM_LASTS,
            "at": after.at if after else None,
            "id": after.id if after else None,
            "reason": wanted.reason,
            "classification": wanted.classification,
            "min_amount": wanted.min_amount,
            "channel": wanted.channel,
            "status": wanted.status,
            "assignee": wanted.assignee,
            "tag": wanted.tag,
        }


_OLDEST: Final = "is_urgent DESC, at, found.id"
_CONVERSATIONS: Final = sa.text("""
    SELECT review.id, said.conversation_id
    FROM escalation_tickets AS review
    JOIN engine_runs AS run ON run.client_id = review.client_id AND run.id = review.run_id
    JOIN engine_messages AS said
      ON said.client_id = run.client_id AND said.event_id = run.event_id
     AND said.direction = 'inbound'
    WHERE review.client_id = :client_id AND review.id = ANY(:reviews)
      AND said.conversation_id IS NOT NULL
""")
_OPEN_REVIEWS: Final = sa.text(f"""
    SELECT id, conversation_id FROM escalation_tickets
    WHERE client_id = :client_id AND conversation_id = ANY(:conversations) AND status IN ({OPEN})
    ORDER BY id
""")  # noqa: S608 - our own names


def outer_filters(wanted: InboxFilter) -> str:
    """Return the SQL for the filters that are applied to a limited number of tickets. Empty if the
    index of the view's source answers the filters."""
    is_all, is_agent = wanted.view is InboxView.ALL, wanted.view is InboxView.AGENT
    holders = "coalesce(talk.assignee, ''), CASE WHEN {open} THEN review.claimed_by END"
    holders = holders.format(open=_IS_OPEN)
    chosen = {
        f"AND NOT coalesce({_WAITS_FOR_TEAM}, false)": is_agent,
        "AND review.reason = :reason": wanted.reason is not None,
        "AND run.classification = :classification": wanted.classification is not None,
        "AND review.amount >= :min_amount": wanted.min_amount is not None,
        "AND review.status = 'claimed'": wanted.claim is ClaimFilter.CLAIMED,
        "AND review.status = 'pending'": wanted.claim is ClaimFilter.PENDING,
        "AND talk.channel = :channel": wanted.channel is not None,
        f"AND talk.id IS NOT NULL AND {STATUS} = :status": wanted.status is not None,
        f"AND :assignee IN ({holders})": wanted.assignee not in (None, NO_ASSIGNEE) and not is_all,
        f"AND ({holders}) IS NOT DISTINCT FROM ('', NULL)": wanted.assignee == NO_ASSIGNEE,
        "AND talk.tags ? :tag": wanted.tag is not None,
        "AND talk.is_critical": wanted.unhappy,
        "AND talk.taken_at IS NOT NULL": wanted.taken,
    }
    return " ".join(sql for sql, is_chosen in chosen.items() if is_chosen)


def _fields(row: Any) -> dict[str, Any]:
    """Return a ticket's row as a mapping from the model's field names, with the claim and the
    amount as objects."""
    fields = row._asdict()
    by, at = fields.pop("claimed_by"), fields.pop("claimed_at")
    minor, currency = fields.pop("amount"), fields.pop("currency")
    return {
        **{name: value for name, value in fields.items() if not name.startswith("place_")},
        "claim": {"by": by, "at": at} if by else None,
        "amount": {"minor": minor, "currency": currency} if currency else None,
    }

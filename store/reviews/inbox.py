"""Pages of one client's inbox."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from domain.reviews.escalation import CLAIM_LASTS
from domain.runs.inbox import InboxFilter, InboxPlace, InboxTicket
from store.core.repository import TenantRepository
from store.reviews.inbox_filters import chosen, end, is_filtered
from store.reviews.inbox_sources import NEEDS_TEAM, OPEN
from store.reviews.open_reviews import MOST
from store.runs.triage import STATUS

LOOKED_THROUGH: Final = 1_000
"""Maximum number of tickets that are examined for one page of a filtered list. Some filters have no
index."""

_PREVIEW: Final = 200
_IS_OPEN: Final = f"coalesce(review.status IN ({OPEN}), false)"
_WAITS: Final = "said.direction = 'inbound'"
# The condition uses CASE because the lookup can then use an index. With coalesce, row-level
# security would prevent this, because coalesce is not known to be leakproof.
_ABOUT: Final = "CASE WHEN review.id IS NULL THEN asked.event_id ELSE reviewed.event_id END"
# Each row is looked up by its key. LIMIT keeps PostgreSQL from reading a complete table to join it.
_TALK_AND_REVIEW: Final = """
    LEFT JOIN LATERAL (
        SELECT * FROM ai_conversations
        WHERE client_id = :client_id AND id = found.conversation_id LIMIT 1
    ) AS talk ON true
    LEFT JOIN LATERAL (
        SELECT * FROM escalation_tickets
        WHERE client_id = :client_id AND id = found.review_id LIMIT 1
    ) AS review ON true
"""
_FOUND: Final = """
    SELECT * FROM unnest(CAST(:reviews AS text[]), CAST(:conversations AS text[]),
                         CAST(:places AS int[])) AS found (review_id, conversation_id, place)
"""
_PAGE: Final = f"""
    SELECT found.place, talk.id AS conversation_id, review.id AS review_id,
           coalesce(talk.customer_email, event.unified ->> 'customer_email', event.customer_email)
               AS customer_email,
           event.subject,
           coalesce(left(CASE WHEN review.id IS NULL THEN said.body
                         ELSE coalesce(nullif(event.text, ''), said.body) END, {_PREVIEW}), '')
               AS preview,
           coalesce(talk.channel, event.unified ->> 'channel') AS channel,
           run.classification, review.reason, review.status AS review_status,
           {_IS_OPEN} AND coalesce(coalesce(review.edited_text, review.draft) ~ '\\S', false)
               AS can_approve,
           coalesce(review.urgent, false) AS urgent, review.sensitive, review.amount,
           review.currency, coalesce(review.needs_second, false) AS needs_second,
           {_IS_OPEN} AND review.first_approved_by IS NOT NULL AS awaits_second,
           review.claimed_by, review.claimed_at, review.decided_by, review.decided_at,
           CASE WHEN {_IS_OPEN} THEN review.expires_at END AS expires_at,
           talk.assignee, talk.taken_by, talk.handed_over_at IS NOT NULL AS is_handed_over,
           CASE WHEN talk.id IS NOT NULL THEN {STATUS} END AS status,
           coalesce(talk.tags, '[]') AS tags, coalesce(talk.is_critical, false) AS is_critical,
           {_IS_OPEN} OR coalesce({_WAITS}, false) AS is_unanswered,
           {_IS_OPEN} OR {NEEDS_TEAM} AS waits_for_team,
           CASE WHEN {_IS_OPEN} THEN review.created_at
                WHEN {_WAITS} THEN coalesce(talk.waiting_since, said.created_at) END
               AS waiting_since,
           talk.last_message_at
    FROM ({_FOUND}) AS found {_TALK_AND_REVIEW}
    LEFT JOIN LATERAL (
        SELECT event_id FROM engine_runs
        WHERE client_id = :client_id AND id = review.run_id LIMIT 1
    ) AS reviewed ON true
    LEFT JOIN LATERAL (
        SELECT body, direction, created_at FROM engine_messages
        WHERE client_id = :client_id AND conversation_id = talk.id
        ORDER BY created_at DESC LIMIT 1
    ) AS said ON true
    LEFT JOIN LATERAL (
        SELECT event_id FROM engine_messages
        WHERE client_id = :client_id AND conversation_id = talk.id AND direction = 'inbound'
        ORDER BY created_at DESC LIMIT 1
    ) AS asked ON review.id IS NULL
    LEFT JOIN LATERAL (
        SELECT classification FROM engine_runs
        WHERE client_id = :client_id AND event_id = {_ABOUT}
        LIMIT 1
    ) AS run ON true
    LEFT JOIN LATERAL (
        SELECT subject, text, unified, customer_email FROM engine_events
        WHERE client_id = :client_id AND id = {_ABOUT} LIMIT 1
    ) AS event ON true
    ORDER BY found.place
"""  # noqa: S608 - our own names


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
        """Return a page of tickets and the cursor for the next page, or None. `user` is the
        caller's name, for the view `mine`.

        Filters without an index examine at most LOOKED_THROUGH tickets, so a page may be short
        although another follows.
        """
        is_part = is_filtered(wanted)
        window = LOOKED_THROUGH if is_part else limit + 1
        values = self._values(wanted, user=user, after=after, now=now)
        values |= {"window": window, "limit": limit + 1}
        found = await self._read(chosen(wanted, after), values)
        rows = await self._details(found[:limit], values)
        tickets = [InboxTicket.model_validate(_fields(row)) for row in rows]
        if len(found) > limit:
            last = found[limit - 1]
        elif is_part and (ends := await self._read(end(wanted, after), values)):
            last = ends[0]
        else:
            return tickets, None
        return tickets, InboxPlace(last.is_urgent, last.at, last.id)

    async def count(self, wanted: InboxFilter, *, user: str, now: datetime) -> int:
        """Return the number of tickets in the list. Return MOST + 1 if there are more than MOST."""
        values = self._values(wanted, user=user, after=None, now=now)
        values |= {"window": MOST + 1, "limit": MOST + 1}
        return len(await self._read(chosen(wanted, None), values))

    async def _details(self, found: list[Any], values: Mapping[str, object]) -> list[Any]:
        """Return the details of the found tickets."""
        given = {
            "reviews": [one.review_id for one in found],
            "conversations": [one.conversation_id for one in found],
            "places": list(range(len(found))),
        }
        return await self._read(_PAGE, {**values, **given})

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


def _fields(row: Any) -> dict[str, Any]:
    """Return a ticket's row as a mapping from the model's field names, with the claim and the
    amount as objects."""
    fields = row._asdict()
    del fields["place"]
    by, at = fields.pop("claimed_by"), fields.pop("claimed_at")
    minor, currency = fields.pop("amount"), fields.pop("currency")
    return {
        **fields,
        "claim": {"by": by, "at": at} if by else None,
        "amount": {"minor": minor, "currency": currency} if currency else None,
    }

"""Emails to members about tickets that need them. An email is prepared in a transaction before it
is sent, so a retry sends the same email."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, Literal

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.agent.escalation_reason import EscalationReason
from domain.core.ids import TenantId
from domain.reviews.escalation import OPEN_STATUSES
from domain.reviews.notification import (
    MAILS_AN_HOUR,
    MemberNotice,
    NoticeKind,
    NotificationMode,
)
from domain.reviews.notification_mail import NotifiedTicket
from domain.tenants.actor import REVIEWERS
from domain.tenants.client import Role
from store.core.repository import TenantRepository
from store.reviews.tables import member_mails, member_notifications

MailOutcome = Literal["sent", "failed", "obsolete"]
"""The outcome of an email. `failed`: it was rejected, exceeded a limit, or has an unknown outcome.
`obsolete`: it was not sent, because its tickets no longer need the member."""

_OPEN: Final = ", ".join(f"'{status}'" for status in sorted(OPEN_STATUSES))
_COUNTED: Final = timedelta(days=1)
_MAIL: Final = member_mails.c
_COUNTS: Final = "digest_day IS NULL AND outcome IS DISTINCT FROM 'obsolete'"

# A member whose hourly limit is reached is left out.
_DUE: Final = sa.text(f"""
    SELECT client_id, user_id FROM (
        SELECT client_id, user_id, min(created_at) AS at FROM member_notices AS notice
        WHERE mail_id IS NULL GROUP BY client_id, user_id
        HAVING (SELECT count(*) FROM member_mails AS mail
                WHERE mail.client_id = notice.client_id AND mail.user_id = notice.user_id
                  AND mail.created_at > :hour_ago AND {_COUNTS}) < :room
        UNION ALL
        SELECT client_id, user_id, created_at FROM member_mails WHERE ended_at IS NULL
        UNION ALL
        SELECT client_id, user_id, digest_due_at FROM member_notifications
        WHERE digest_due_at <= :now
    ) AS due
    GROUP BY client_id, user_id ORDER BY min(at), client_id, user_id LIMIT :limit
""")  # noqa: S608 - our own names
_RECIPIENT: Final = sa.text("""
    SELECT person.email, coalesce(preference.language, choice.language) AS language,
           CASE WHEN client.owner_user_id = member.user_id THEN 'owner' ELSE member.role END AS role
    FROM client_users AS member
    JOIN clients AS client ON client.id = member.client_id AND client.closed_at IS NULL
    JOIN users AS person ON person.id = member.user_id AND person.verified_at IS NOT NULL
    JOIN member_notifications AS choice
      ON choice.client_id = member.client_id AND choice.user_id = member.user_id
    LEFT JOIN user_preferences AS preference ON preference.user_id = member.user_id
    WHERE member.client_id = :client_id AND member.user_id = :user_id
""")
_REVIEW_IS_OPEN: Final = f"""notice.kind = 'review' AND review.status IN ({_OPEN})"""
_IS_ASSIGNED: Final = """notice.kind = 'assigned' AND talk.assignee = notice.user_id
    AND talk.closed_at IS NULL"""
_JOINED: Final = """
    FROM member_notices AS notice
    LEFT JOIN escalation_tickets AS review
      ON notice.kind = 'review' AND review.client_id = notice.client_id
     AND review.id = notice.subject
    LEFT JOIN ai_conversations AS talk
      ON notice.kind = 'assigned' AND talk.client_id = notice.client_id
     AND talk.id = notice.subject
"""
_IS_CURRENT: Final = f"({_REVIEW_IS_OPEN} OR {_IS_ASSIGNED})"
_PENDING: Final = sa.text(f"""
    SELECT notice.kind, notice.subject, notice.created_at {_JOINED}
    WHERE notice.client_id = :client_id AND notice.user_id = :user_id AND notice.mail_id IS NULL
      AND {_IS_CURRENT}
    ORDER BY notice.created_at, notice.kind, notice.subject
""")
_REMOVE_OBSOLETE: Final = sa.text(f"""
    DELETE FROM member_notices AS old USING (
        SELECT notice.kind, notice.subject {_JOINED}
        WHERE notice.client_id = :client_id AND notice.user_id = :user_id
          AND notice.mail_id IS NULL AND {_IS_CURRENT} IS NOT TRUE
    ) AS notice
    WHERE old.client_id = :client_id AND old.user_id = :user_id AND old.mail_id IS NULL
      AND (old.kind, old.subject) = (notice.kind, notice.subject)
""")  # noqa: S608 - our own names
_REPORT: Final = sa.text("""
    UPDATE member_notices AS notice SET mail_id = :mail_id
    FROM unnest(CAST(:kinds AS text[]), CAST(:subjects AS text[])) AS chosen (kind, subject)
    WHERE notice.client_id = :client_id AND notice.user_id = :user_id
      AND (notice.kind, notice.subject) = (chosen.kind, chosen.subject)
""")
_TICKETS: Final = sa.text(f"""
    SELECT notice.kind, review.id AS review_id, talk.id AS conversation_id, review.reason,
           coalesce(review.urgent, false) AS urgent, count(*) OVER () AS all_tickets
    {_JOINED}
    WHERE notice.client_id = :client_id AND notice.mail_id = :mail_id AND {_IS_CURRENT}
    ORDER BY coalesce(review.urgent, false) DESC, notice.created_at, notice.subject LIMIT :limit
""")
_URGENT: Final = sa.text(f"""
    SELECT count(*) FROM (
        SELECT FROM escalation_tickets
        WHERE client_id = :client_id AND urgent AND status IN ({_OPEN}) LIMIT :limit
    ) AS found
""")  # noqa: S608 - our own names
_ASSIGNED: Final = sa.text("""
    SELECT count(*) FROM (
        SELECT FROM ai_conversations
        WHERE client_id = :client_id AND assignee = :user_id AND closed_at IS NULL
          AND waiting_since IS NOT NULL
          AND (snoozed_until IS NULL OR snoozed_until <= :now) LIMIT :limit
    ) AS found
""")


@dataclass(frozen=True, slots=True)
class MemberChoice:
    """A member's stored choice, last changed at `updated_at`. `digest_day` is the local day of the
    latest digest."""

    mode: NotificationMode
    digest_hour: int
    digest_day: date | None
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Recipient:
    """A member who may receive emails. `language`: None if unknown."""

    email: str
    language: str | None


@dataclass(frozen=True, slots=True)
class ReportedTickets:
    """The tickets of one email that still need the member. `listed` are the first, urgent ones
    first, of `count`. `assigned` means that the first was assigned to the member."""

    listed: tuple[NotifiedTicket, ...]
    count: int
    assigned: bool


async def due_members(
    connection: AsyncConnection, now: datetime, *, limit: int
) -> list[tuple[TenantId, str]]:
    """Return the clients and user ids of the members to whom an email may be due, longest wait
    first. Requires a transaction that spans clients."""
    rows = await connection.execute(
        _DUE,
        {
            "now": now,
            "hour_ago": now - timedelta(hours=1),
            "room": MAILS_AN_HOUR,
            "limit": limit,
        },
    )
    return [(TenantId(row.client_id), row.user_id) for row in rows]


class MemberMailRepository(TenantRepository):
    async def lock(self, user_id: str) -> MemberChoice | None:
        """Lock the member's choice until the transaction ends, and return it. Return None if the
        member has not chosen."""
        choice = member_notifications.c
        row = (
            await self._connection.execute(
                sa.select(choice.mode, choice.digest_hour, choice.digest_day, choice.updated_at)
                .where(choice.client_id == self._tenant, choice.user_id == user_id)
                .with_for_update()
            )
        ).one_or_none()
        if row is None:
            return None
        return MemberChoice(
            NotificationMode(row.mode), row.digest_hour, row.digest_day, row.updated_at
        )

    async def recipient(self, user_id: str) -> Recipient | None:
        """Return the verified address of a member who decides reviews, or None, also during an
        erasure of the client. Requires a transaction that spans clients."""
        row = (
            await self._connection.execute(
                _RECIPIENT, {"client_id": self._tenant, "user_id": user_id}
            )
        ).one_or_none()
        if row is None or Role(row.role) not in REVIEWERS:
            return None
        return Recipient(row.email, row.language)

    async def pending(self, user_id: str) -> list[MemberNotice]:
        """Return the member's notices that no email reports yet, oldest first. Notices of tickets
        that no longer need the member are deleted."""
        values = {"client_id": self._tenant, "user_id": user_id}
        await self._connection.execute(_REMOVE_OBSOLETE, values)
        return [
            MemberNotice(NoticeKind(row.kind), row.subject, row.created_at)
            for row in await self._connection.execute(_PENDING, values)
        ]

    async def sent_at(self, user_id: str, now: datetime) -> list[datetime]:
        """Return the times of the member's latest at-once emails, which count toward the limit."""
        rows = await self._connection.scalars(
            sa.select(_MAIL.created_at).where(
                _MAIL.client_id == self._tenant,
                _MAIL.user_id == user_id,
                _MAIL.created_at > now - _COUNTED,
                sa.text(_COUNTS),
            )
        )
        return list(rows)

    async def add(
        self, mail_id: str, user_id: str, notices: Sequence[MemberNotice], now: datetime
    ) -> None:
        """Prepare an email that reports these notices."""
        await self._insert(mail_id, user_id, None, now)
        values = {"client_id": self._tenant, "user_id": user_id, "mail_id": mail_id}
        chosen = {
            "kinds": [one.kind.value for one in notices],
            "subjects": [one.subject for one in notices],
        }
        await self._connection.execute(_REPORT, {**values, **chosen})

    async def add_digest(self, mail_id: str, user_id: str, day: date, now: datetime) -> None:
        """Prepare the member's digest for a local day."""
        await self._insert(mail_id, user_id, day, now)

    async def _insert(self, mail_id: str, user_id: str, day: date | None, now: datetime) -> None:
        await self._connection.execute(
            sa.insert(member_mails).values(
                client_id=self._tenant,
                id=mail_id,
                user_id=user_id,
                digest_day=day,
                created_at=now,
            )
        )

    async def set_digest(self, user_id: str, day: date | None, due_at: datetime) -> None:
        """Store when the member's next digest may be due. `day` is the local day of a digest that
        is settled, or None."""
        choice = member_notifications.c
        settled = {} if day is None else {"digest_day": day}
        await self._connection.execute(
            sa.update(member_notifications)
            .where(choice.client_id == self._tenant, choice.user_id == user_id)
            .values(digest_due_at=due_at, **settled)
        )

    async def unsent(self, user_id: str) -> list[str]:
        """Return the ids of the member's prepared emails that are neither sent nor discarded,
        oldest first."""
        rows = await self._connection.scalars(
            sa.select(_MAIL.id)
            .where(
                _MAIL.client_id == self._tenant,
                _MAIL.user_id == user_id,
                _MAIL.ended_at.is_(None),
            )
            .order_by(_MAIL.created_at, _MAIL.id)
        )
        return list(rows)

    async def end_older(self, user_id: str, before: datetime, now: datetime) -> None:
        """Discard the member's emails that were prepared before `before` and could not be sent."""
        await self._connection.execute(
            sa.update(member_mails)
            .where(
                _MAIL.client_id == self._tenant,
                _MAIL.user_id == user_id,
                _MAIL.ended_at.is_(None),
                _MAIL.created_at < before,
            )
            .values(ended_at=now, outcome="obsolete")
        )

    async def end(self, mail_id: str, outcome: MailOutcome, now: datetime) -> None:
        """Store the outcome of an email. Idempotent: the first outcome is kept."""
        await self._connection.execute(
            sa.update(member_mails)
            .where(_MAIL.client_id == self._tenant, _MAIL.id == mail_id, _MAIL.ended_at.is_(None))
            .values(ended_at=now, outcome=outcome)
        )

    async def is_digest(self, mail_id: str) -> bool | None:
        """Return whether the prepared email is a digest. Return None if it is sent or discarded, or
        does not exist."""
        row = (
            await self._connection.execute(
                sa.select(_MAIL.digest_day).where(
                    _MAIL.client_id == self._tenant, _MAIL.id == mail_id, _MAIL.ended_at.is_(None)
                )
            )
        ).one_or_none()
        return None if row is None else row.digest_day is not None

    async def tickets(self, mail_id: str, limit: int) -> ReportedTickets:
        """Return the tickets that an email reports and that still need the member."""
        rows = (
            await self._connection.execute(
                _TICKETS, {"client_id": self._tenant, "mail_id": mail_id, "limit": limit}
            )
        ).all()
        return ReportedTickets(
            tuple(
                NotifiedTicket(
                    row.review_id,
                    row.conversation_id,
                    None if row.reason is None else EscalationReason(row.reason),
                    row.urgent,
                )
                for row in rows
            ),
            rows[0].all_tickets if rows else 0,
            bool(rows) and rows[0].kind == NoticeKind.ASSIGNED,
        )

    async def count_urgent(self, limit: int) -> int:
        """Return the number of urgent open reviews, at most `limit`."""
        return int(
            await self._connection.scalar(_URGENT, {"client_id": self._tenant, "limit": limit}) or 0
        )

    async def count_assigned(self, user_id: str, now: datetime, limit: int) -> int:
        """Return the number of waiting conversations that are assigned to the member, at most
        `limit`."""
        values = {"client_id": self._tenant, "user_id": user_id, "now": now, "limit": limit}
        return int(await self._connection.scalar(_ASSIGNED, values) or 0)

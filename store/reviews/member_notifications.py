"""The email notifications that members of one client chose."""

from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from domain.reviews.notification import NotificationMode, NotificationSettings
from store.core.repository import TenantRepository
from store.reviews.tables import member_mails, member_notices, member_notifications

_CHOICE: Final = member_notifications.c
_TABLES: Final = (member_notices, member_mails, member_notifications)


class MemberNotificationRepository(TenantRepository):
    async def read(self, user_id: str) -> NotificationSettings:
        """Return the member's settings, or the defaults if the member has not chosen."""
        row = (
            await self._connection.execute(
                sa.select(_CHOICE.mode, _CHOICE.digest_hour).where(self._is(user_id))
            )
        ).one_or_none()
        if row is None:
            return NotificationSettings()
        return NotificationSettings(mode=NotificationMode(row.mode), digest_hour=row.digest_hour)

    async def set(
        self,
        user_id: str,
        settings: NotificationSettings,
        *,
        language: str | None,
        digest_due_at: datetime | None,
        now: datetime,
    ) -> None:
        """Store the member's settings. A changed mode discards unsent emails.

        `language` is the language of the page, or None to keep the stored one. `digest_due_at` is
        when the next digest may be due.
        """
        before = await self.read(user_id)
        values = {
            "mode": settings.mode.value,
            "digest_hour": settings.digest_hour,
            "digest_due_at": digest_due_at,
            "updated_at": now,
            **({} if language is None else {"language": language}),
        }
        await self._connection.execute(
            insert(member_notifications)
            .values(client_id=self._tenant, user_id=user_id, **values)
            .on_conflict_do_update(index_elements=["client_id", "user_id"], set_=values)
        )
        if settings.mode is not before.mode:
            await self.discard(user_id, now)

    async def discard(self, user_id: str, now: datetime) -> None:
        """Discard the member's emails that are not sent yet, with the notices that no email
        reports."""
        notice, mail = member_notices.c, member_mails.c
        await self._connection.execute(
            sa.delete(member_notices).where(
                notice.client_id == self._tenant,
                notice.user_id == user_id,
                notice.mail_id.is_(None),
            )
        )
        await self._connection.execute(
            sa.update(member_mails)
            .where(
                mail.client_id == self._tenant,
                mail.user_id == user_id,
                mail.ended_at.is_(None),
            )
            .values(ended_at=now, outcome="obsolete")
        )

    async def reschedule_digests(self, now: datetime) -> None:
        """Check the due times of all members' digests now because the client's time zone has
        changed."""
        await self._connection.execute(
            sa.update(member_notifications)
            .where(_CHOICE.client_id == self._tenant, _CHOICE.digest_due_at.is_not(None))
            .values(digest_due_at=now)
        )

    async def remove(self, user_id: str) -> None:
        """Delete the settings and notifications of a user who is no longer a member."""
        for table in _TABLES:
            await self._connection.execute(
                sa.delete(table).where(
                    table.c.client_id == self._tenant, table.c.user_id == user_id
                )
            )

    def _is(self, user_id: str) -> sa.ColumnElement[bool]:
        return sa.and_(_CHOICE.client_id == self._tenant, _CHOICE.user_id == user_id)

"""Records of form submissions that have taken effect. They prevent the same form from taking effect
twice."""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.dashboard.errors import AlreadyPosted
from store.dashboard.tables import form_posts


class FormPosts:
    def __init__(self, connection: AsyncConnection, tenant: TenantId) -> None:
        self._connection = connection
        self._tenant = tenant

    async def take(self, form: str, once: str, user_id: str, now: datetime) -> None:
        """Record that a form takes effect in this transaction. Raises AlreadyPosted if it already
        has.

        `form` is the path, and a concurrent post to it waits for this transaction. `once` is the id
        of this rendering.
        """
        await self._lock(form)
        taken = await self._connection.scalar(
            insert(form_posts)
            .values(client_id=self._tenant, once=once, user_id=user_id, created_at=now)
            .on_conflict_do_nothing()
            .returning(form_posts.c.once)
        )
        if taken is None:
            raise AlreadyPosted(
                await self._connection.scalar(
                    sa.select(form_posts.c.location).where(
                        form_posts.c.client_id == self._tenant,
                        form_posts.c.once == once,
                        form_posts.c.user_id == user_id,
                    )
                )
            )

    async def was_taken(self, form: str, once: str) -> bool:
        """Return whether the rendering `once` of a form has taken effect, after waiting for any
        concurrent post to the same path to finish."""
        await self._lock(form)
        found = await self._connection.scalar(
            sa.select(form_posts.c.once).where(
                form_posts.c.client_id == self._tenant, form_posts.c.once == once
            )
        )
        return found is not None

    async def led_to(self, once: str, user_id: str, location: str) -> None:
        """Store the location to which repeated posts of this rendering of a form are redirected."""
        await self._connection.execute(
            sa.update(form_posts)
            .where(
                form_posts.c.client_id == self._tenant,
                form_posts.c.once == once,
                form_posts.c.user_id == user_id,
            )
            .values(location=location)
        )

    async def _lock(self, form: str) -> None:
        lock = sa.func.hashtextextended(f"{self._tenant}{form}", 0)
        await self._connection.execute(sa.select(sa.func.pg_advisory_xact_lock(lock)))

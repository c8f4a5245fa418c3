"""User preferences. The queries span clients because users do not belong to a client."""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.dashboard.preferences import Preferences, Theme
from store.dashboard.tables import user_preferences


async def preferences_of(connection: AsyncConnection, user_id: str) -> Preferences:
    """Return the user's preferences for the dashboard, or the defaults if none are stored."""
    rows = await connection.execute(
        sa.select(user_preferences).where(user_preferences.c.user_id == user_id)
    )
    row = rows.one_or_none()
    if row is None:
        return Preferences()
    return Preferences(
        row.client_id, row.language, row.time_zone, Theme(row.theme), row.single_keys
    )


async def keep_preferences(
    connection: AsyncConnection, user_id: str, wanted: Preferences, now: datetime
) -> None:
    """Store the user's preferences for the dashboard, replacing the earlier ones."""
    values = {
        "client_id": wanted.client_id,
        "language": wanted.language,
        "time_zone": wanted.time_zone,
        "theme": wanted.theme,
        "single_keys": wanted.single_keys,
        "updated_at": now,
    }
    await connection.execute(
        insert(user_preferences)
        .values(user_id=user_id, **values)
        .on_conflict_do_update(index_elements=["user_id"], set_=values)
    )

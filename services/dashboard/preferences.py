"""User preferences. The unit of work spans clients because users do not belong to a client."""

from domain.dashboard.preferences import Preferences, check_time_zone
from services.core.unit_of_work import UnitOfWork
from store.dashboard.preferences import keep_preferences


async def save_preferences(work: UnitOfWork, user_id: str, wanted: Preferences) -> None:
    """Store a user's preferences. Raises InvalidPreferences."""
    check_time_zone(wanted.time_zone)
    await keep_preferences(work.connection, user_id, wanted, work.now)

"""/app/me/notifications: the form for a member's email notifications, shown on the profile page."""

from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.page import Page
from api.dashboard.post import Post, Posted
from api.dashboard.typed import Typed
from domain.dashboard.errors import InvalidPreferences
from domain.reviews.notification import (
    LAST_HOUR,
    MAILS_AN_HOUR,
    NotificationMode,
    NotificationSettings,
)
from domain.tenants.actor import REVIEWERS
from services.reviews.notifications import read_notifications, set_notifications

NOTIFICATION_FORM: Final = "/app/me/notifications"
_ME: Final = "/app/me"

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class NotificationForm:
    """The form's fields and choices. `hours` are the hours with their texts. `most` is the maximum
    number of emails an hour."""

    typed: Typed
    modes: tuple[tuple[str, str], ...]
    hours: tuple[tuple[str, str], ...]
    time_zone: str
    most: int = MAILS_AN_HOUR


async def notification_form(page: Page) -> NotificationForm | None:
    """Return the form with the member's current notifications. Return None for a user who may not
    decide reviews, or who is not a member."""
    if page.actor.role not in REVIEWERS:
        return None
    async with page.resources.database.reading(page.tenant) as connection:
        chosen = await read_notifications(connection, page.tenant, page.actor)
    defaults = {"mode": chosen.mode.value, "digest_hour": str(chosen.digest_hour)}
    return NotificationForm(
        await page.typed(NOTIFICATION_FORM, defaults),
        tuple(
            (mode.value, page.say(f"dashboard.notify.modes.{mode.value}"))
            for mode in NotificationMode
        ),
        tuple((str(hour), f"{hour:02d}:00") for hour in range(LAST_HOUR + 1)),
        chosen.time_zone,
    )


@router.post(NOTIFICATION_FORM)
async def notify(post: Annotated[Post, Depends(Posted(REVIEWERS))]) -> Response:
    """Save the member's notifications for the client. Raises InvalidPreferences."""
    wanted = _settings(post)
    async with post.working(_ME) as work:
        await set_notifications(work, post.page.actor, wanted, language=post.page.language)
    return post.done(_ME, "dashboard.saved")


def _settings(post: Post) -> NotificationSettings:
    """Return the settings in the form. Raises InvalidPreferences if a value is unknown."""
    mode, hour = post.text("mode"), post.text("digest_hour")
    if mode not in tuple(NotificationMode) or hour not in map(str, range(LAST_HOUR + 1)):
        raise InvalidPreferences("notifications inconnues")
    return NotificationSettings(mode=NotificationMode(mode), digest_hour=int(hour))

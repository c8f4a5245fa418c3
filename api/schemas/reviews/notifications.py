"""Request model for a member's email notifications."""

from typing import Annotated

from pydantic import ConfigDict, Field

from api.schemas.core.strict_body import StrictBody, Whole
from domain.reviews.notification import (
    DEFAULT_HOUR,
    LAST_HOUR,
    NotificationMode,
    NotificationSettings,
)


class NotificationsBody(StrictBody):
    """The caller's new notifications for the client. They replace the current ones."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"mode": "digest", "digest_hour": 8}]}
    )

    mode: Annotated[
        NotificationMode,
        Field(
            strict=False,
            description=(
                "`none`: no emails. `at_once`: an email for each ticket that needs the caller. "
                "`digest`: one email a day if tickets are waiting."
            ),
        ),
    ]
    digest_hour: Annotated[
        Whole,
        Field(
            ge=0,
            le=LAST_HOUR,
            description="Hour of the digest, in the time zone of the client's business hours.",
        ),
    ] = DEFAULT_HOUR

    @property
    def settings(self) -> NotificationSettings:
        return NotificationSettings(mode=self.mode, digest_hour=self.digest_hour)

"""Errors in the chat widget."""

from datetime import datetime

from domain.core.errors import DomainError, InvalidContent


class OriginNotAllowed(DomainError):
    """The request came from a website that is not in the client's allowed origins."""

    code = "origin_not_allowed"


class ApiKeyNotAccepted(DomainError):
    """The client does not accept API keys on the widget's routes."""

    code = "api_key_not_accepted"


class WidgetShareUsed(DomainError):
    """The widget's share of the client's hourly limit or monthly tickets is used up.

    `retry_after_s` is None if the widget is blocked until next month. `oldest` is the oldest
    message in the hourly limit.
    """

    code = "widget_share_used"

    def __init__(self, retry_after_s: float | None, oldest: datetime | None = None) -> None:
        super().__init__("the widget's share is used up")
        self.retry_after_s = retry_after_s
        self.oldest = oldest


class InvalidUserSignature(DomainError):
    """The user's signature was not created with the merchant's secret for this address."""

    code = "invalid_user_signature"


class SessionUnknown(DomainError):
    """The client has no widget session with this token, or the session has ended."""

    code = "widget_session_unknown"


class InvalidWidgetCode(DomainError):
    """The verification code is wrong, was already used or has expired, or there were too many
    attempts."""

    code = "invalid_widget_code"


class InvalidWidget(InvalidContent):
    """A widget setting violates a rule."""

    code = "invalid_widget"


class TooManyCodes(DomainError):
    """The session has requested the maximum number of verification codes per hour."""

    code = "too_many_codes"

    def __init__(self, retry_after_s: float) -> None:
        super().__init__("as many codes as a session gets in an hour")
        self.retry_after_s = retry_after_s

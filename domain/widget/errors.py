"""Errors around the chat widget."""

from datetime import datetime

from domain.core.errors import DomainError, InvalidContent


class OriginNotAllowed(DomainError):
    """The calling page belongs to none of the sites that the client allows."""

    code = "origin_not_allowed"


class ApiKeyNotAccepted(DomainError):
    """The client accepts no API keys on its widget's routes."""

    code = "api_key_not_accepted"


class WidgetShareUsed(DomainError):
    """The widget's share of the client's hourly limit or monthly tickets is used up.

    `retry_after_s`: None if only the next month brings more. `oldest`: the first message that
    counts within the hour.
    """

    code = "widget_share_used"

    def __init__(self, retry_after_s: float | None, oldest: datetime | None = None) -> None:
        super().__init__("the widget's share is used up")
        self.retry_after_s = retry_after_s
        self.oldest = oldest


class InvalidUserSignature(DomainError):
    """The signature is not the merchant's for this address."""

    code = "invalid_user_signature"


class SessionUnknown(DomainError):
    """No session of this client has such a token, or it has ended."""

    code = "widget_session_unknown"


class InvalidWidgetCode(DomainError):
    """The code is wrong, used, too old or tried too often."""

    code = "invalid_widget_code"


class InvalidWidget(InvalidContent):
    """A setting of the widget breaks a rule."""

    code = "invalid_widget"


class TooManyCodes(DomainError):
    """The session has requested as many codes as it may within an hour."""

    code = "too_many_codes"

    def __init__(self, retry_after_s: float) -> None:
        super().__init__("as many codes as a session gets in an hour")
        self.retry_after_s = retry_after_s

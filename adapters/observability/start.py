"""What a process says when it starts of settings that it works without, but not wholly."""

import structlog

from settings import Settings

_log = structlog.get_logger(__name__)


def warn_of_what_is_missing(settings: Settings) -> None:
    """One line for each gap, for whoever reads the log after a deployment."""
    if settings.mail.smtp_url is None:
        _log.warning("no mail server", missing="SMTP_URL", effect="events answered by mail fail")

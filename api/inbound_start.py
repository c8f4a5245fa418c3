"""Code that starts the processing of stored webhooks."""

import structlog

from api.resources import Resources
from domain.core.errors import EngineUnavailable
from domain.inbound.contracts import ProcessWebhookInput, WebhookRef

_log = structlog.get_logger(__name__)


async def begin_work(ref: WebhookRef, resources: Resources, *, wake: bool = False) -> None:
    """Start the workflow of a stored webhook, or leave it to the periodic sweep. If `wake` is true,
    a waiting webhook is retried now."""
    settings = resources.settings
    try:
        await resources.engine.process_webhook(
            ProcessWebhookInput(
                ref=ref,
                remote_brain=settings.brain.is_remote,
                review_expiry_s=settings.reviews.expiry_s,
            ),
            wake=wake,
        )
    except EngineUnavailable as error:
        _log.warning(
            "failed to start the workflow of an inbound webhook",
            webhook_id=ref.webhook_id,
            code=error.code,
        )

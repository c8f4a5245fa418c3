"""Temporal payloads for the workflow that processes an inbound webhook."""

from domain.core.contracts import Contract
from domain.inbound.inbound_webhook import WaitsFor
from domain.runs.contracts import ProcessEventInput


class WebhookRef(Contract):
    """The identity of the inbound webhook that an activity works on."""

    client_id: str
    webhook_id: str


class ProcessWebhookInput(Contract):
    """The input of the workflow that processes a webhook. `remote_brain`, `review_expiry_s`:
    settings for the run of the event created from the webhook, as in `ProcessEventInput`."""

    ref: WebhookRef
    remote_brain: bool = False
    review_expiry_s: float


class WebhookWorked(Contract):
    """The result of one attempt to process a webhook. `run` is a run to start, or None. `wait_s` is
    the delay until the next attempt in seconds, or 0 if processing has ended. `next_ids` are the
    client's webhooks to process next."""

    run: ProcessEventInput | None = None
    wait_s: float = 0
    waits_for: WaitsFor | None = None
    next_ids: tuple[str, ...] = ()


class GiveUpWebhookInput(Contract):
    """The input of the activity that marks a webhook as failed. `code` is the error code of the
    permanent failure."""

    ref: WebhookRef
    code: str

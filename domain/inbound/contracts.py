"""Data that passes through Temporal while a webhook is processed."""

from domain.core.contracts import Contract
from domain.inbound.inbound_webhook import WaitsFor
from domain.runs.contracts import ProcessEventInput


class WebhookRef(Contract):
    """The webhook that an activity works on."""

    client_id: str
    webhook_id: str


class ProcessWebhookInput(Contract):
    """`remote_brain`, `review_expiry_s`: settings of the event's run, as in `ProcessEventInput`."""

    ref: WebhookRef
    remote_brain: bool = False
    review_expiry_s: float


class WebhookWorked(Contract):
    """The result of one processing attempt. `run`: a run to start. `wait_s`: seconds until the next
    attempt; 0 if processing has ended. `waits_for`: the limit that refused the webhook. `next_ids`:
    webhooks of the same client to process next."""

    run: ProcessEventInput | None = None
    wait_s: float = 0
    waits_for: WaitsFor | None = None
    next_ids: tuple[str, ...] = ()


class GiveUpWebhookInput(Contract):
    """`code`: the error code of the permanent failure."""

    ref: WebhookRef
    code: str

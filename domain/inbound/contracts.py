"""What crosses Temporal while a webhook is worked on."""

from domain.core.contracts import Contract
from domain.inbound.inbound_webhook import WaitsFor
from domain.runs.contracts import ProcessEventInput


class WebhookRef(Contract):
    """Which webhook a step works on."""

    client_id: str
    webhook_id: str


class ProcessWebhookInput(Contract):
    """`remote_brain`, `review_expiry_s`: of its run, as in `ProcessEventInput`."""

    ref: WebhookRef
    remote_brain: bool = False
    review_expiry_s: float


class WebhookWorked(Contract):
    """What came of one try. `run`: to be started. `wait_s`: try again after so long; 0 when it has
    ended. `waits_for`: which limit that is. `next_ids`: webhooks of the same client whose turn it
    is now."""

    run: ProcessEventInput | None = None
    wait_s: float = 0
    waits_for: WaitsFor | None = None
    next_ids: tuple[str, ...] = ()


class GiveUpWebhookInput(Contract):
    """`code`: what its work failed with for good."""

    ref: WebhookRef
    code: str

"""What crosses Temporal where records are removed."""

from domain.core.contracts import Contract
from domain.privacy.erasure import ErasureScope


class HousekeepingInput(Contract):
    """How long what is pruned is kept. `idempotency_s`: as long as callers were promised.
    `webhooks_s`: as long as what a merchant's systems have missed can be replayed.
    `inbound_webhooks_s`: longer than any platform sends an event again. `sign_in_codes_s`: the day
    that they are counted in. `invitations_s`: well after they have lapsed. `sessions_s`: longer
    than any session lasts. `widget_codes_s`: the day that they are counted in. `address_codes_s`:
    that day, and the day that a proof lasts. `widget_sessions_s`:
    counted from their last message, longer than they last. `order_facts_s`: counted from the last
    of an order, longer than customers ask about one. `ended_connections_s`: as long as a connection
    that has ended takes duties; then its address and its proved name go. `case_verdicts_s`: longer
    than a playbook goes without being tried again; of runs beyond the 50 latest of a client.
    `replays_s`: counted from their beginning. `form_posts_s`: longer than a page is sent
    again. `page_drafts_s`: counted from the last word. `sign_in_links_s`: from their end."""

    idempotency_s: float = 24 * 3600
    error_reports_s: float = 30 * 24 * 3600
    webhooks_s: float = 30 * 24 * 3600
    inbound_webhooks_s: float = 30 * 24 * 3600
    sign_in_codes_s: float = 24 * 3600
    invitations_s: float = 30 * 24 * 3600
    sessions_s: float = 91 * 24 * 3600
    widget_codes_s: float = 24 * 3600
    address_codes_s: float = 48 * 3600
    widget_sessions_s: float = 60 * 24 * 3600
    order_facts_s: float = 400 * 24 * 3600
    ended_connections_s: float = 100 * 24 * 3600
    replays_s: float = 90 * 24 * 3600
    case_verdicts_s: float = 180 * 24 * 3600
    form_posts_s: float = 24 * 3600
    page_drafts_s: float = 7 * 24 * 3600
    sign_in_links_s: float = 24 * 3600


class PruneResult(Contract):
    pruned: int


class HousekeepingResult(Contract):
    pruned: int
    drifting: int


class RetentionInput(Contract):
    """Nothing: `domain/privacy/retention.py` and clients' settings say how long what is kept."""


class RetentionResult(Contract):
    """How many rows were removed, of all clients and classes, and how many clients could not be
    done (each is logged)."""

    removed: int = 0
    failed: int = 0


class EraseInput(Contract):
    """Of one customer `subject` is the digest, in hexadecimal, that the certificate knows them by,
    and `sealed_customer` the address, encrypted, for a history outlives what is erased; both are
    empty for the whole client. `settle_s`: longer than any step that is under way takes."""

    erasure_id: str
    client_id: str
    requested_by: str
    subject: str = ""
    sealed_customer: str = ""
    settle_s: float = 60

    @property
    def scope(self) -> ErasureScope:
        return ErasureScope.CUSTOMER if self.subject else ErasureScope.TENANT


class CloseResult(Contract):
    """`under_way`: runs that may be in the middle of a step, whose end must be awaited."""

    under_way: int = 0


class EraseResult(Contract):
    """The id of the certificate: whoever joined an erasure under way learns it here."""

    erasure_id: str

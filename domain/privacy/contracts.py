"""Temporal payloads for the workflows that prune, retain and erase records."""

from domain.core.contracts import Contract
from domain.privacy.erasure import ErasureScope


class HousekeepingInput(Contract):
    """Retention periods, in seconds, for the records that housekeeping prunes.

    - `idempotency_s`: the period, promised to callers, in which a repeated request is recognized.
    - `webhooks_s`: the period in which missed events can be replayed.
    - `inbound_webhooks_s`: longer than the period in which any platform retries an event.
    - `sign_in_codes_s`, `widget_codes_s`: one day because codes count toward a daily limit.
    - `mail_counts_s`: longer than the period for which rejections reduce a client's mail allowance.
    - `invitations_s`: well beyond an invitation's expiry.
    - `sessions_s`: longer than any session lasts.
    - `address_codes_s`: one day because codes count toward a daily limit, plus one day for which a
      verified address stays valid.
    - `widget_sessions_s`: counted from the last message, and longer than a session lasts.
    - `order_facts_s`: counted from the last fact about an order, and longer than the time within
      which customers usually ask about an order.
    - `ended_connections_s`: the period in which an ended connection accepts compliance requests.
      After it, the connection's endpoint and verified account name are removed.
    - `erased_customers_s`: the period in which refunds count toward the limit per customer. After
      it, the pseudonym of an erased customer is removed from a refund.
    - `case_verdicts_s`: longer than a playbook goes without a new test of its cases. A client's 50
      latest test runs are kept regardless.
    - `replays_s`: counted from the start of the replay.
    - `form_posts_s`: longer than the period in which a browser resubmits a page.
    - `page_drafts_s`: counted from the last edit.
    - `sign_in_links_s`: counted from the link's expiry.
    - `member_mails_s`: longer than a review stays open, so that a repeated step does not notify a
      member again.
    """

    idempotency_s: float = 24 * 3600
    error_reports_s: float = 30 * 24 * 3600
    webhooks_s: float = 30 * 24 * 3600
    inbound_webhooks_s: float = 30 * 24 * 3600
    sign_in_codes_s: float = 24 * 3600
    mail_counts_s: float = 31 * 24 * 3600
    invitations_s: float = 30 * 24 * 3600
    sessions_s: float = 91 * 24 * 3600
    widget_codes_s: float = 24 * 3600
    address_codes_s: float = 48 * 3600
    widget_sessions_s: float = 60 * 24 * 3600
    order_facts_s: float = 400 * 24 * 3600
    ended_connections_s: float = 100 * 24 * 3600
    erased_customers_s: float = 30 * 24 * 3600
    replays_s: float = 90 * 24 * 3600
    case_verdicts_s: float = 180 * 24 * 3600
    form_posts_s: float = 24 * 3600
    page_drafts_s: float = 7 * 24 * 3600
    sign_in_links_s: float = 24 * 3600
    member_mails_s: float = 30 * 24 * 3600


class PruneResult(Contract):
    pruned: int


class HousekeepingResult(Contract):
    pruned: int
    drifting: int


class RetentionInput(Contract):
    """The input of the retention workflow. It has no fields, because `domain/privacy/retention.py`
    and the clients' settings define the retention periods."""


class RetentionResult(Contract):
    """The number of rows removed by retention, and of clients that failed. Failures are logged."""

    removed: int = 0
    failed: int = 0


class EraseInput(Contract):
    """The parameters of an erasure.

    - `subject`: the hexadecimal digest that identifies the customer in the certificate.
    - `sealed_customer`: the address, encrypted because a workflow history outlives the erased data.
    - `settle_s`: the wait for running steps in seconds, longer than any step takes.

    `subject` and `sealed_customer` are empty if the whole client is erased.
    """

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
    """The result of stopping new work on the data to erase. `under_way` is the number of runs that
    may be in a step. The erasure waits for them."""

    under_way: int = 0


class EraseResult(Contract):
    """The result of an erasure. `erasure_id` is the certificate's id, the same for repeated
    requests during the erasure."""

    erasure_id: str

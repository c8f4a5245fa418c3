"""A naive model of a webhook and its deliveries, with small limits."""

from dataclasses import dataclass, field

from domain.webhooks.contracts import DeliverResult
from domain.webhooks.delivery import DeliveryAttempt, DeliveryStatus, Trigger
from domain.webhooks.webhook import DisabledReason, Notice, RetryPolicy
from tests.support.webhooks.deliveries import GONE, GOT, SKIPPED

MOST, WARNED, KEPT = 5, (2, 3), 6


@dataclass
class Sent:
    """The expected state of one delivery."""

    event_id: str
    trigger: Trigger
    attempt: int = 0
    result: DeliverResult | None = None
    count_after: int | None = None


@dataclass
class Model:
    """The model of one webhook. `bodies` are the bodies of the events that can still be
    replayed."""

    policy: RetryPolicy
    in_plan: bool = True
    reason: DisabledReason | None = None
    count: int = 0
    bodies: set[str] = field(default_factory=set)
    missed: set[str] = field(default_factory=set)
    sent: dict[str, Sent] = field(default_factory=dict)
    ended: list[str] = field(default_factory=list)

    def pending(self) -> list[str]:
        return [one for one, sent in self.sent.items() if sent.result is None]

    def begin(self, delivery_id: str, attempt: int) -> DeliverResult | None:
        """Start a delivery, and return its result, or None if a request must be sent."""
        sent = self.sent.get(delivery_id)
        if sent is None or sent.result is not None or sent.attempt >= attempt:
            return self.known(sent)
        if self.in_plan and (self.reason is None or sent.trigger is Trigger.TEST):
            return None
        return self._end(delivery_id, DeliveryStatus.SKIPPED)

    def finish(
        self, delivery_id: str, attempt: int, done: DeliveryAttempt, *, again: bool
    ) -> DeliverResult:
        sent = self.sent.get(delivery_id)
        if sent is None or sent.result is not None or sent.attempt >= attempt:
            return self.known(sent)
        sent.attempt = attempt
        if again:
            return self.known(sent)
        succeeded, notice = done is GOT, None
        if sent.trigger is not Trigger.TEST and self.reason is None:
            self.count = sent.count_after = 0 if succeeded else self.count + 1
            notice = self._notice(gone=done is GONE and self.policy is RetryPolicy.STANDARD)
        status = DeliveryStatus.SUCCESS if succeeded else DeliveryStatus.FAILED
        return self._end(delivery_id, status, notice)

    def known(self, sent: Sent | None) -> DeliverResult:
        if sent is None:
            return SKIPPED
        return sent.result or DeliverResult(status=DeliveryStatus.PENDING)

    def _notice(self, *, gone: bool) -> Notice | None:
        if self.count >= MOST:
            self.reason = DisabledReason.FAILURES
            return Notice.DISABLED
        if gone:
            self.reason = DisabledReason.GONE
            return Notice.GONE
        return Notice.FAILING if self.count in WARNED else None

    def _end(
        self, delivery_id: str, status: DeliveryStatus, notice: Notice | None = None
    ) -> DeliverResult:
        sent = self.sent[delivery_id]
        sent.result = DeliverResult(status=status, notice=notice)
        if status is DeliveryStatus.SUCCESS:
            self.missed.discard(sent.event_id)
        else:
            self.missed |= {sent.event_id} & self.bodies
        self.ended.append(delivery_id)
        late = self.ended[:-KEPT]
        self.forget([one for one in late if not self.is_heard_of(one)])
        return sent.result

    def is_heard_of(self, delivery_id: str) -> bool:
        """Return whether the owner receives an email about the delivery. Such a delivery is not
        pruned."""
        result = self.sent[delivery_id].result
        return result is not None and result.notice is not None

    def forget(self, pruned: list[str]) -> None:
        for delivery_id in pruned:
            self.ended.remove(delivery_id)
            del self.sent[delivery_id]

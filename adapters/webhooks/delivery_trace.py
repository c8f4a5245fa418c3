"""The trace of a POST to a webhook URL, and the outcome of the POST."""

import time

from adapters.system import utc_now
from adapters.webhooks import retry_after
from adapters.webhooks.dial import Dialler
from adapters.webhooks.exchange import Exchange, Head
from adapters.webhooks.failures import explained
from domain.webhooks.delivery import DeliveryAttempt, FailureKind, failure_of


class DeliveryTrace:
    """The trace of one POST, filled in by the sender. Times are in milliseconds since the start of
    the POST."""

    def __init__(self, dialler: Dialler) -> None:
        self._started = time.monotonic()
        self.dialler = dialler
        self.exchange: Exchange | None = None
        self.head: Head | None = None
        self.dns_ms: int | None = None
        self.connect_ms: int | None = None
        self._first_byte_ms: int | None = None

    def ms(self) -> int:
        return round((time.monotonic() - self._started) * 1000)

    def first_byte(self) -> None:
        self._first_byte_ms = self.ms()

    def ended(self, met: Exception | None) -> DeliveryAttempt:
        """Return the outcome of the POST. `met` is the error that ended the POST, one of
        `adapters.webhooks.failures.MET`, or None."""
        failure, error = self._judged(met)
        later = self.head.retry_after if self.head else None
        dialled = self.dialler.dialled
        return DeliveryAttempt(
            failure=failure,
            duration_ms=self.ms(),
            error=error,
            response_status=self.head.status if self.head else None,
            response_body=self.exchange.body if self.exchange else b"",
            retry_after_s=retry_after.seconds(later, utc_now()) if later else None,
            remote_ip=str(dialled) if dialled else None,
            dns_ms=self.dns_ms,
            connect_ms=self.connect_ms,
            first_byte_ms=self._first_byte_ms,
        )

    def _judged(self, met: Exception | None) -> tuple[FailureKind | None, str | None]:
        # The receiver has responded once the response headers have arrived in time. Later failures
        # to read the body are ignored.
        if self.head is not None:
            failure = failure_of(self.head.status)
            return failure, None if failure is None else f"the answer was {self.head.status}"
        if isinstance(met, TimeoutError):
            return FailureKind.TIMEOUT, f"{self._missing()} in time"
        explanation = explained(met)
        return explanation.kind, explanation.text

    def _missing(self) -> str:
        if self.connect_ms is None:
            return "no connection"
        if self.exchange is None:
            return "no TLS"
        if self._first_byte_ms is None:
            return "no answer"
        return "no end of the answer's headers"

"""A circuit breaker: it stops calls to a provider that fails repeatedly."""

from dataclasses import dataclass
from typing import Final

from domain.agent.model_fault import OPENING, UNUSABLE, ModelFault

FAULTS_TO_OPEN: Final = 5
"""Number of consecutive failed calls after which the circuit opens."""

OPEN_S: Final = 30.0
"""Seconds after the last failed call until one probe is allowed."""


@dataclass(slots=True)
class Circuit:
    """The circuit breaker for one API key at one provider. It opens after `FAULTS_TO_OPEN`
    consecutive faults and admits a probe call after `OPEN_S` seconds. Times come from a monotonic
    clock."""

    faults: int = 0
    opened_at: float | None = None
    is_probing: bool = False

    def admits(self, now: float) -> bool:
        """Return whether a call may be made. If the call is the probe, admit no other call until
        `settle` or `abandon`."""
        if self.opened_at is None:
            return True
        if self.is_probing or now - self.opened_at < OPEN_S:
            return False
        self.is_probing = True
        return True

    def settle(self, fault: ModelFault | None, now: float) -> None:
        """Record the outcome of an admitted call. A delivered answer closes the circuit, even if
        the answer is unusable."""
        self.is_probing = False
        if fault is None or fault in UNUSABLE:
            self.faults, self.opened_at = 0, None
        elif fault in OPENING:
            self.faults += 1
            if self.faults >= FAULTS_TO_OPEN:
                self.opened_at = now

    def abandon(self) -> None:
        """Record that an admitted call was cancelled, so its outcome is unknown."""
        self.is_probing = False

"""What crosses Temporal where records are removed: as `domain/contracts.py`, and under the same
rules."""

from domain.contracts import Contract
from domain.erasure import Scope


class RetentionInput(Contract):
    """Nothing: what is kept for how long stands in `domain/retention.py` and clients' settings."""


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
    def scope(self) -> Scope:
        return Scope.CUSTOMER if self.subject else Scope.TENANT


class CloseResult(Contract):
    """`under_way`: runs that may be in the middle of a step, whose end must be awaited."""

    under_way: int = 0


class EraseResult(Contract):
    """The id of the certificate: whoever joined an erasure under way learns it here."""

    erasure_id: str

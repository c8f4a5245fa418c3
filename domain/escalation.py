"""The escalation: a run that waits for a human, and what the human may decide."""

from enum import StrEnum
from typing import Final


class EscalationReason(StrEnum):
    """Why a run was handed to a human. Stored and, later, sent in webhooks."""

    LOW_CONFIDENCE = "low_confidence"
    CUSTOMER_REQUEST = "customer_request"
    MISSING_KNOWLEDGE = "missing_knowledge"
    UNSUPPORTED_REQUEST = "unsupported_request"
    POLICY_RESTRICTION = "policy_restriction"
    TOOL_FAILURE = "tool_failure"
    UNSAFE_INPUT = "unsafe_input"


class EscalationStatus(StrEnum):
    PENDING = "pending"
    CLAIMED = "claimed"
    APPROVED = "approved"
    EDITED = "edited"
    REJECTED = "rejected"
    EXPIRED = "expired"


OPEN_STATUSES: Final = frozenset({EscalationStatus.PENDING, EscalationStatus.CLAIMED})


class Decision(StrEnum):
    """What a human (or the clock) does with an escalation."""

    APPROVE = "approve"
    EDIT = "edit"
    REJECT = "reject"
    EXPIRE = "expire"

    @property
    def status(self) -> EscalationStatus:
        """The escalation's status once this decision is taken."""
        return _STATUS_AFTER[self]

    @property
    def executes(self) -> bool:
        """Whether the plan is carried out after it."""
        return self in (Decision.APPROVE, Decision.EDIT)


_STATUS_AFTER: Final = {
    Decision.APPROVE: EscalationStatus.APPROVED,
    Decision.EDIT: EscalationStatus.EDITED,
    Decision.REJECT: EscalationStatus.REJECTED,
    Decision.EXPIRE: EscalationStatus.EXPIRED,
}

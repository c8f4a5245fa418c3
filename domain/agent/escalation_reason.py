"""The reasons to hold a run for human review."""

from enum import StrEnum


class EscalationReason(StrEnum):
    """The reason why a run is escalated to a human. The values are stored and sent in webhooks.

    - `shadow_mode`: the playbook is in shadow mode, and no other reason applies.
    - `automation_stopped`: a member or an operator has stopped all automation.
    - `model_unavailable`: the model failed, and the embedded brain is not certain enough.
    """

    LOW_CONFIDENCE = "low_confidence"
    CUSTOMER_REQUEST = "customer_request"
    MISSING_KNOWLEDGE = "missing_knowledge"
    UNSUPPORTED_REQUEST = "unsupported_request"
    POLICY_RESTRICTION = "policy_restriction"
    TOOL_FAILURE = "tool_failure"
    UNSAFE_INPUT = "unsafe_input"
    SHADOW_MODE = "shadow_mode"
    AUTOMATION_STOPPED = "automation_stopped"
    MODEL_UNAVAILABLE = "model_unavailable"

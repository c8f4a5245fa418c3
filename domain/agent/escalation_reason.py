"""The reasons why a run waits for a human."""

from enum import StrEnum


class EscalationReason(StrEnum):
    """The reason why a run is escalated to a human.

    Stored, and sent in webhooks. `shadow_mode`: the playbook is in shadow mode; otherwise the agent
    would have continued. `automation_stopped`: a member or an operator has stopped all automation.
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

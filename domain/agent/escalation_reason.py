"""Why a run waits for a human."""

from enum import StrEnum


class EscalationReason(StrEnum):
    """Why a run was handed to a human. Stored, and sent in webhooks.

    `shadow_mode`: the agent would have gone on, and its playbook is only tried.
    `automation_stopped`: a member or an operator has stopped everything automatic.
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

"""The sensitive matter: a topic that always goes to a human, never answered by the agent."""

from enum import StrEnum


class SensitiveMatter(StrEnum):
    """Stored, and shown to people. `own`: the merchant's own words."""

    HEALTH = "health"
    SELF_HARM = "self_harm"
    MINORS = "minors"
    LEGAL = "legal"
    FRAUD = "fraud"
    CHARGEBACK = "chargeback"
    DATA_PROTECTION = "data_protection"
    THREAT = "threat"
    PRESS = "press"
    OWN = "own"

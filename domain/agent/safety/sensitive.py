"""The sensitive matter: what always reaches a human, and is never answered by the agent."""

from enum import StrEnum


class SensitiveMatter(StrEnum):
    """Stored, and shown to people. `own`: words that the merchant named."""

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

"""Sensitive topics: topics that always go to a human and that the agent never answers."""

from enum import StrEnum


class SensitiveMatter(StrEnum):
    """A topic that always goes to a human. The value is stored, and shown to people. `own`: the
    text contains one of the merchant's own sensitive words."""

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

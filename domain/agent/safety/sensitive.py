"""Sensitive topics: topics that the agent never answers and that always require a human."""

from enum import StrEnum


class SensitiveMatter(StrEnum):
    """A topic that always requires a human. The value is stored and shown to users. `own`: the text
    contains one of the merchant's own sensitive words."""

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

"""What crosses Temporal while an event is normalized."""

from domain.core.contracts import Contract, RunRef


class NormalizeInput(Contract):
    ref: RunRef


class NormalizeResult(Contract):
    """`looks_up`: an order may have to be looked up in the merchant's shop before thinking."""

    elapsed_ms: float
    looks_up: bool = False

"""Errors of the copilot."""

from domain.copilot.ports import TalkCost
from domain.core.errors import DomainError


class TalkFailed(DomainError):
    """No language model answered the copilot's question. `cost` is the cost incurred despite the
    failure."""

    code = "copilot_model_failed"

    def __init__(self, cost: TalkCost) -> None:
        super().__init__()
        self.cost = cost

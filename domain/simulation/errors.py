"""Errors around simulations and replays."""

from collections.abc import Mapping

from domain.core.errors import DomainError, InvalidInput


class ReplayNotFound(DomainError):
    """The client has no such replay."""

    code = "replay_not_found"


class ReplayUnderWay(DomainError):
    """Another replay of the client is not over yet."""

    code = "replay_under_way"


class InvalidReplay(InvalidInput):
    """What is asked of a replay breaks a rule. Operators read the message, callers the `reason`,
    which is in French."""

    code = "invalid_replay"

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"reason": self.reason}


class SimulationTooLong(DomainError):
    """The simulation was not over in the time that its caller waits."""

    code = "simulation_too_long"


class ModelBudgetUsedUp(DomainError):
    """No money is left for a language model, and no other brain is wanted."""

    code = "model_budget_used_up"

"""Errors in simulations and replays."""

from collections.abc import Mapping

from domain.core.errors import DomainError, InvalidInput


class ReplayNotFound(DomainError):
    """The client has no such replay."""

    code = "replay_not_found"


class ReplayUnderWay(DomainError):
    """Another replay of the client is still in progress."""

    code = "replay_under_way"


class InvalidReplay(InvalidInput):
    """The request for a replay is invalid. The message is for operators, and the French `reason`
    for callers."""

    code = "invalid_replay"

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"reason": self.reason}


class ReplaysBusy(DomainError):
    """The worker processes as many pages of replays as it may. The page is tried again."""

    code = "replays_busy"
    retryable = True
    retry_after_s = 5.0


class SimulationTooLong(DomainError):
    """The simulation did not finish within the caller's timeout."""

    code = "simulation_too_long"


class ModelBudgetUsedUp(DomainError):
    """The language model budget is exhausted, and the request does not allow the embedded brain."""

    code = "model_budget_used_up"

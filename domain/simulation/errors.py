"""Errors around simulations and replays."""

from domain.core.errors import DomainError


class ReplayNotFound(DomainError):
    """The client has no such replay."""

    code = "replay_not_found"


class ReplayUnderWay(DomainError):
    """Another replay of the client is not over yet."""

    code = "replay_under_way"


class SimulationTooLong(DomainError):
    """The simulation was not over in the time that its caller waits."""

    code = "simulation_too_long"


class ModelBudgetUsedUp(DomainError):
    """The client's month has no money left for a language model, and no other brain is wanted."""

    code = "model_budget_used_up"

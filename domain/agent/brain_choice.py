"""Choose the brain: a language model while its budget lasts, then the embedded brain."""

from dataclasses import dataclass

from domain.agent.brain import Brain
from domain.billing.model_money import NO_MODEL_BUDGET, ModelBudget


@dataclass(frozen=True, slots=True)
class Brains:
    """The brains available to a client. `model` is None if no language model is configured.

    `reserve_micros` is reserved before each model call, in millionths of a US dollar, so that
    concurrent runs stay within the budget. The actual cost replaces it afterwards.
    """

    embedded: Brain
    model: Brain | None = None
    reserve_micros: int = 0
    budget: ModelBudget = NO_MODEL_BUDGET
    sees_images: bool = False

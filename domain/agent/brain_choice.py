"""The choice of a brain: a language model within its budget, else the embedded brain."""

from dataclasses import dataclass

from domain.agent.brain import Brain
from domain.billing.model_money import NO_MODEL_BUDGET, ModelBudget


@dataclass(frozen=True, slots=True)
class Brains:
    """The brains of a client. `model` is None if none is configured; then nothing is reserved or
    spent. `sees_images`: whether the model, or the one asked instead of it, reads images.

    Before the model is asked, `reserve_micros` is reserved (`services/core/model_money.py`): the
    usual maximum of a question's cost, in millionths of a US dollar. The true cost then replaces
    it, so that concurrent runs do not exceed the budget.
    """

    embedded: Brain
    model: Brain | None = None
    reserve_micros: int = 0
    budget: ModelBudget = NO_MODEL_BUDGET
    sees_images: bool = False

"""Who thinks: a language model while there is money for it, else the embedded brain."""

from dataclasses import dataclass

from domain.agent.brain import Brain
from domain.billing.model_money import NO_MODEL_BUDGET, ModelBudget


@dataclass(frozen=True, slots=True)
class Brains:
    """`model` is None where none is configured, and then nothing is reserved or spent.
    `sees_images`: of the model, or of the one asked in its place.

    Before the model is asked, `reserve_micros` is reserved (`services/core/model_money.py`): the
    usual maximum of a question's cost, in millionths of a US dollar. It is replaced by the true
    cost, so that many runs at once do not spend more than there is.
    """

    embedded: Brain
    model: Brain | None = None
    reserve_micros: int = 0
    budget: ModelBudget = NO_MODEL_BUDGET
    sees_images: bool = False

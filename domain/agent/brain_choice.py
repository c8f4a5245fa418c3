"""Choose the brain: a language model while its budget lasts, then the embedded brain."""

from dataclasses import dataclass

from domain.agent.brain import Brain
from domain.billing.model_money import NO_MODEL_BUDGET, ModelBudget


@dataclass(frozen=True, slots=True)
class Brains:
    """The brains available to a client.

    `model`: the language model, or None if none is configured. `sees_images`: whether the model or
    its fallback model can process images. `reserve_micros`: the cost of a long request to the most
    expensive model, in millionths of a US dollar. This amount is reserved before a model is called
    (`services/core/model_money.py`), so that concurrent runs do not exceed the budget. The actual
    cost then replaces the reserved amount. Without a model, nothing is reserved or spent.
    """

    embedded: Brain
    model: Brain | None = None
    reserve_micros: int = 0
    budget: ModelBudget = NO_MODEL_BUDGET
    sees_images: bool = False

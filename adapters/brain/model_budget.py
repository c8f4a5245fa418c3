"""The configured budgets for language models."""

from typing import Final

from domain.billing.model_money import ModelBudget
from settings.brain import BrainSettings

_MICROS: Final = 1_000_000


def model_budget(settings: BrainSettings) -> ModelBudget:
    """Return the configured budgets for language models, in millionths of a US dollar."""
    return ModelBudget(
        month_micros=round(settings.monthly_budget * _MICROS),
        installation_day_micros=round(settings.installation_budget_a_day * _MICROS),
        trial_day_micros=round(settings.trial_budget_a_day * _MICROS),
    )

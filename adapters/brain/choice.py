"""Create the brains selected by the settings."""

from typing import TYPE_CHECKING

from adapters.brain.classifier import Classifier
from adapters.brain.model_budget import model_budget
from adapters.brain.taught import TaughtBrain
from domain.agent.brain import Brain
from domain.agent.brain_choice import Brains
from settings.brain import BrainSettings

if TYPE_CHECKING:
    from adapters.brain.llm import LlmBrain


def brain_from(settings: BrainSettings, classifier: Classifier) -> Brain:
    """Return the brain configured in BRAIN_MODEL, without a budget. Raises InvalidInput."""
    return _llm(settings, classifier) or TaughtBrain(classifier)


def brains_from(settings: BrainSettings, classifier: Classifier) -> Brains:
    """Return the embedded brain and the language model brain, with the budget that determines the
    choice between them. Raises InvalidInput."""
    model = _llm(settings, classifier)
    return Brains(
        embedded=TaughtBrain(classifier),
        model=model,
        reserve_micros=model.reserve_micros if model else 0,
        budget=model_budget(settings),
        sees_images=model is not None and model.sees_images,
    )


def _llm(settings: BrainSettings, classifier: Classifier) -> "LlmBrain | None":
    if not settings.is_remote:
        return None
    # The module is imported here because loading the providers' libraries takes seconds and a
    # hundred megabytes of memory.
    from adapters.brain.llm import LlmBrain  # noqa: PLC0415 - slow to load
    from adapters.brain.llm_judge import LlmJudge  # noqa: PLC0415 - slow to load
    from adapters.brain.llm_models import judge_of, models_of  # noqa: PLC0415 - slow to load

    judge = judge_of(settings)
    return LlmBrain(
        models_of(settings),
        classifier,
        hides_data=settings.hides_personal_data,
        judge=LlmJudge(judge) if judge else None,
    )

"""Whose answers are scored, and which of their numbers is the probability of the category."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from adapters.brain.artifact import MODEL_PATH
from adapters.brain.choice import brain_from
from adapters.brain.classifier import Classifier
from adapters.brain.embedded import EmbeddedBrain
from adapters.seal import new_seal_key
from domain.agent.brain import Brain, BrainAnswer, BrainRequest
from settings import load_settings
from settings.brain import EMBEDDED_BRAIN

PROVIDER_CALLS_AT_ONCE: Final = 8


@dataclass(frozen=True, slots=True)
class Contestant:
    """A brain to score.

    `probability` is the brain's own, 0 to 1, that its category is right. `model_bytes` is the size
    of all model files; None for a provider's model, which is judged by speed and cost only, and
    has no aim for them.
    """

    name: str
    brain: Brain
    probability: Callable[[BrainRequest, BrainAnswer], float]
    calls_at_once: int
    model_bytes: int | None


def configured() -> Contestant:
    """The brain that the environment's BRAIN_MODEL names, as the service would make it.

    Raises InvalidInput for one that is not known or not configured.
    """
    settings = load_settings(
        # Of no use here, and required: nothing is stored and nothing sealed.
        DATABASE_URL="postgresql://nowhere/none",
        TEMPORAL_ADDRESS="nowhere:7233",
        SEAL_KEY=new_seal_key(),
    )
    classifier = Classifier.load()
    if settings.brain.is_remote:
        return of_provider(settings.brain.model, brain_from(settings.brain, classifier))
    return _embedded(classifier)


def _embedded(classifier: Classifier) -> Contestant:
    def probability(request: BrainRequest, answer: BrainAnswer) -> float:
        # Without a source the answer's confidence is low however sure the category is.
        return classifier.classify(request.text).probabilities[answer.classification]

    return Contestant(
        name=EMBEDDED_BRAIN,
        brain=EmbeddedBrain(classifier),
        probability=probability,
        calls_at_once=1,
        model_bytes=sum(path.stat().st_size for path in MODEL_PATH.parent.glob("*.npz")),
    )


def of_provider(name: str, brain: Brain) -> Contestant:
    """The contestant whose brain asks a provider's model: its confidence is the model's own."""
    return Contestant(
        name=name,
        brain=brain,
        probability=lambda _request, answer: answer.confidence,
        calls_at_once=PROVIDER_CALLS_AT_ONCE,
        model_bytes=None,
    )

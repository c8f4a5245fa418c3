"""The brain to score, with a function that returns the probability the brain assigns to its chosen
category."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from adapters.brain.choice import brain_from
from adapters.brain.classifier import MODEL_PATH, Classifier
from adapters.brain.embedded import EmbeddedBrain
from adapters.seal import new_seal_key
from domain.agent.brain import Brain, BrainAnswer, BrainRequest
from settings import load_settings
from settings.brain import EMBEDDED_BRAIN

PROVIDER_CALLS_AT_ONCE: Final = 8


@dataclass(frozen=True, slots=True)
class Contestant:
    """A brain to score.

    `probability` returns the brain's probability, from 0 to 1, that its category is right.
    `model_bytes` is the size of its files, or None for a provider's model, which has no targets for
    speed and cost.
    """

    name: str
    brain: Brain
    probability: Callable[[BrainRequest, BrainAnswer], float]
    calls_at_once: int
    model_bytes: int | None


def configured() -> Contestant:
    """Return the brain configured in the `BRAIN_MODEL` environment variable, created as the service
    creates it.

    Raises InvalidInput if the brain is unknown or not configured.
    """
    settings = load_settings(
        # The settings require these values, but the evaluation does not use a database or
        # encryption.
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
        # The answer's confidence is not used. It is low for an answer without sources, even if the
        # category is certain.
        return classifier.classify(request.text).probabilities[answer.classification]

    return Contestant(
        name=EMBEDDED_BRAIN,
        brain=EmbeddedBrain(classifier),
        probability=probability,
        calls_at_once=1,
        model_bytes=sum(path.stat().st_size for path in MODEL_PATH.parent.glob("*.npz")),
    )


def of_provider(name: str, brain: Brain) -> Contestant:
    """Return a contestant for a provider's model. Its probability is the confidence that the model
    reports."""
    return Contestant(
        name=name,
        brain=brain,
        probability=lambda _request, answer: answer.confidence,
        calls_at_once=PROVIDER_CALLS_AT_ONCE,
        model_bytes=None,
    )

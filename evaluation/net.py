"""Load the safety net as the service does."""

from functools import cache

from adapters.brain.safety_net import LearnedSafetyNet


@cache
def safety_net() -> LearnedSafetyNet:
    """Return the safety net. It is loaded once and cached. Raises ModelInvalid."""
    return LearnedSafetyNet.load()

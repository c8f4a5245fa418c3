"""The safety net, as the service loads it."""

from functools import cache

from adapters.brain.safety_net import LearnedSafetyNet


@cache
def safety_net() -> LearnedSafetyNet:
    """Return the safety net, which is loaded once. Raises ModelInvalid."""
    return LearnedSafetyNet.load()

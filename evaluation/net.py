"""The safety net, loaded as in the service."""

from functools import cache

from adapters.brain.safety_net import LearnedSafetyNet


@cache
def safety_net() -> LearnedSafetyNet:
    """Return the safety net, cached after the first call. Raises ModelInvalid."""
    return LearnedSafetyNet.load()

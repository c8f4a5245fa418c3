"""The safety net as the service has it."""

from functools import cache

from adapters.brain.safety_net import LearnedSafetyNet


@cache
def safety_net() -> LearnedSafetyNet:
    """Loaded once. Raises ModelInvalid."""
    return LearnedSafetyNet.load()

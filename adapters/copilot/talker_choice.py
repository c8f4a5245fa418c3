"""Select the copilot's language models according to the settings."""

from domain.copilot.ports import Talker
from settings.brain import BrainSettings


def talker_from(settings: BrainSettings) -> Talker | None:
    """Return a talker that uses BRAIN_MODEL and BRAIN_FALLBACK_MODEL, or None if the embedded brain
    is configured.

    Raises InvalidInput.
    """
    if not settings.is_remote:
        return None
    # The module is imported here because loading the providers' libraries takes seconds and a
    # hundred megabytes of memory.
    from adapters.brain.llm_models import models_of  # noqa: PLC0415
    from adapters.copilot.llm_talker import LlmTalker  # noqa: PLC0415

    return LlmTalker(models_of(settings))

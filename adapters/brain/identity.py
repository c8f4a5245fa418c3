"""What thinks for a client, as one line: a verdict on a case holds for this alone."""

from hashlib import sha256

from adapters.brain.classifier import MODEL_PATH
from adapters.brain.llm_prompt import PROMPT_VERSION
from adapters.brain.safety_net import SAFETY_MODEL_PATH
from settings.brain import BrainSettings, EmbeddingSettings


def brain_identity(brain: BrainSettings, embedding: EmbeddingSettings) -> str:
    """The model and its fallback, where they are, the version of their prompt, and the embedded
    brain's files, which take part in each thought. It reads these files: ask once a process."""
    parts = [_embedded()]
    if brain.is_remote:
        parts += [
            f"{brain.model}@{brain.base_url or ''}",
            f"{brain.fallback_model or ''}@{brain.fallback_base_url or ''}",
            f"images:{brain.sees_images:d}{brain.fallback_sees_images:d}",
            f"prompt:{PROMPT_VERSION}",
        ]
    if embedding.model:
        parts.append(f"found by {embedding.model}@{embedding.base_url or ''}")
    return " ".join(parts)


def _embedded() -> str:
    files = (path.read_bytes() for path in (MODEL_PATH, SAFETY_MODEL_PATH))
    return "embedded:" + "+".join(sha256(content).hexdigest()[:12] for content in files)

"""What thinks for a client, as one line: a verdict on a case holds for this alone."""

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from adapters.brain.embeddings import embedding_model
from adapters.brain.llm_prompt import PROMPT_VERSION
from domain.cases.digest import NamesModel
from settings.brain import BrainSettings, EmbeddingSettings

# The files of the embedded brain. They are not asked of the modules that read them: those load
# libraries that a process which thinks nothing has no use for.
_FILES: Final = ("model.npz", "answers.npz")


def names_model(brain: BrainSettings, embedding: EmbeddingSettings) -> NamesModel:
    """`brain_identity`, worked out when it is first asked for."""
    return cache(lambda: brain_identity(brain, embedding))


def brain_identity(brain: BrainSettings, embedding: EmbeddingSettings) -> str:
    """The model and its fallback, where they are, the version of their prompt, and the embedded
    brain's files, which take part in each thought. It reads these files."""
    parts = [_embedded()]
    if brain.is_remote:
        parts += [
            f"{brain.model}@{brain.base_url or ''}",
            f"{brain.fallback_model or ''}@{brain.fallback_base_url or ''}",
            f"images:{brain.sees_images:d}{brain.fallback_sees_images:d}",
            f"prompt:{PROMPT_VERSION}",
        ]
    if model := embedding_model(embedding):
        parts.append(f"found by {model}@{embedding.base_url or ''}")
    return " ".join(parts)


def _embedded() -> str:
    files = (Path(__file__).with_name(name).read_bytes() for name in _FILES)
    return "embedded:" + "+".join(sha256(content).hexdigest()[:12] for content in files)

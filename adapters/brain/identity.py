"""The identity of a client's brain, as one line of text. The results of saved cases are valid for
one identity only."""

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from adapters.brain.embeddings import embedding_model
from adapters.brain.llm_prompt import PROMPT_VERSION
from domain.cases.digest import NamesModel
from settings.brain import BrainSettings, EmbeddingSettings

# The embedded brain's files. They are listed here because the modules that read them import
# libraries that other processes do not need.
_FILES: Final = ("model.npz", "safety.npz", "answers.npz", "answers_2.npz")


def names_model(brain: BrainSettings, embedding: EmbeddingSettings) -> NamesModel:
    """Return a function that computes `brain_identity` on its first call and then returns the
    cached value."""
    return cache(lambda: brain_identity(brain, embedding))


def brain_identity(brain: BrainSettings, embedding: EmbeddingSettings) -> str:
    """Return the identity of the brain: digests of its files, and the models, judge and
    embedder with their URLs and prompt version. Reads the files."""
    parts = [_embedded()]
    if brain.is_remote:
        parts += [
            f"{brain.model}@{brain.base_url or ''}",
            f"{brain.fallback_model or ''}@{brain.fallback_base_url or ''}",
            f"images:{brain.sees_images:d}{brain.fallback_sees_images:d}",
            f"prompt:{PROMPT_VERSION}",
        ]
        if brain.judge_model:
            parts.append(f"judged by {brain.judge_model}@{brain.judge_base_url or ''}")
    if model := embedding_model(embedding):
        parts.append(f"found by {model}@{embedding.base_url or ''}")
    return " ".join(parts)


def _embedded() -> str:
    files = (Path(__file__).with_name(name).read_bytes() for name in _FILES)
    return "embedded:" + "+".join(sha256(content).hexdigest()[:12] for content in files)

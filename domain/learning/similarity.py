"""Similarity: how near the meanings of two answers to a customer are."""

from typing import Final

SAME_MEANING: Final = 0.5


def similarity(one: str, other: str) -> float:
    """From 0 to 1, and 1 for equal texts; symmetric, in French and English, in bounded time."""
    raise NotImplementedError(one, other)

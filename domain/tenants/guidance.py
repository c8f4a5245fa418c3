"""A client's style guidance to a language model: the tone, and rules to follow."""

from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from domain.core.plain_text import without_controls
from domain.tenants.errors import InvalidSettings

MAX_GUIDANCE_CHARS: Final = 300
"""Maximum length of the tone and of each rule, in characters."""

MAX_GUIDANCE_RULES: Final = 10
"""Maximum number of rules in each list."""


class Guidance(BaseModel):
    """A client's style guidance. Each text is one line. Empty guidance adds nothing to the
    prompt."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tone: str = Field(default="", description="Tone of the answers.")
    do: tuple[str, ...] = Field(default=(), description="Rules that answers follow.")
    dont: tuple[str, ...] = Field(default=(), description="What answers avoid.")

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the guidance as lines of a prompt. The result is empty if the guidance is
        empty."""
        tone = (f"Tone: {self.tone}",) if self.tone else ()
        return (*tone, *_list("Do:", self.do), *_list("Do not:", self.dont))


def check_guidance(given: Guidance) -> Guidance:
    """Return the guidance in its stored form. Raises InvalidSettings.

    Each text becomes one line without invisible characters, which a model would read. Duplicate
    rules are removed.
    """
    tone = _line(given.tone)
    if len(tone) > MAX_GUIDANCE_CHARS:
        raise InvalidSettings(
            f"guidance.tone: at most {MAX_GUIDANCE_CHARS} characters",
            f"guidance.tone : {MAX_GUIDANCE_CHARS} caractères au plus",
        )
    return Guidance(tone=tone, do=_rules("do", given.do), dont=_rules("dont", given.dont))


def _rules(field: str, given: Sequence[str]) -> tuple[str, ...]:
    kept = tuple(dict.fromkeys(map(_line, given)))
    if not all(0 < len(rule) <= MAX_GUIDANCE_CHARS for rule in kept):
        raise InvalidSettings(
            f"guidance.{field}: rules of 1 to {MAX_GUIDANCE_CHARS} characters",
            f"guidance.{field} : des règles de 1 à {MAX_GUIDANCE_CHARS} caractères",
        )
    if len(given) > MAX_GUIDANCE_RULES:
        raise InvalidSettings(
            f"guidance.{field}: at most {MAX_GUIDANCE_RULES} rules",
            f"guidance.{field} : {MAX_GUIDANCE_RULES} règles au plus",
        )
    return kept


def _line(text: str) -> str:
    return " ".join(without_controls(text).split())


def _list(title: str, rules: tuple[str, ...]) -> tuple[str, ...]:
    return (title, *(f"- {rule}" for rule in rules)) if rules else ()

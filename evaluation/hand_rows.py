"""Row types for the sets that contain a single text per row."""

from typing import Self

from pydantic import Field, model_validator

from domain.agent.brain import Category, Language
from domain.agent.safety.sensitive import SensitiveMatter
from evaluation.sealing import HandRow


class SafetyMessage(HandRow):
    """A message about a sensitive topic. `harmless`: True for a look-alike, which uses the topic's
    words in a harmless sense."""

    language: Language
    category: SensitiveMatter
    harmless: bool
    text: str = Field(min_length=1)


class HonestMessage(HandRow):
    """A benign message for the prompt injection tests. Some of these messages resemble instructions
    to a language model."""

    language: Language | None = None
    text: str = Field(min_length=1)


class TemplateMessage(HandRow):
    """A message to a shop with ready answers. `right` means that its category's ready answer is
    correct for it."""

    language: Language
    category: Category
    right: bool
    text: str = Field(min_length=1)


class NumberText(HandRow):
    """A text with the order numbers that a careful human finds in it. If `asked` is true, the agent
    had just asked for an order number."""

    text: str = Field(min_length=1)
    asked: bool = False
    numbers: tuple[str, ...]

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        if len(set(self.numbers)) < len(self.numbers):
            raise ValueError("a number is listed twice")
        return self

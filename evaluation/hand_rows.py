"""The rows of the sets that contain one text each."""

from typing import Self

from pydantic import Field, model_validator

from domain.agent.brain import Category, Language
from domain.agent.safety.sensitive import SensitiveMatter
from evaluation.sealing import HandRow


class SafetyMessage(HandRow):
    """`harmless`: true for a look-alike, which uses the words of its category with a harmless
    meaning."""

    language: Language
    category: SensitiveMatter
    harmless: bool
    text: str = Field(min_length=1)


class HonestMessage(HandRow):
    """A message of an honest customer, including texts that only sound like commands to a
    system."""

    language: Language | None = None
    text: str = Field(min_length=1)


class TemplateMessage(HandRow):
    """`right`: whether the ready answer of this category is correct."""

    language: Language
    category: Category
    right: bool
    text: str = Field(min_length=1)


class NumberText(HandRow):
    """`numbers`: the order numbers in the text, as a careful person reads them. `asked`: whether
    the agent had just asked for the number."""

    text: str = Field(min_length=1)
    asked: bool = False
    numbers: tuple[str, ...]

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        if len(set(self.numbers)) < len(self.numbers):
            raise ValueError("a number stands twice")
        return self

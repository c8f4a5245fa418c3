"""Customers' questions to a shop, and the facts in a correct answer."""

from pathlib import Path
from typing import Final, Literal

import yaml
from pydantic import Field, TypeAdapter

from evaluation.sealing import HandRow

QuestionKind = Literal["answerable", "near", "other_language", "two_matter", "unanswerable"]
TRAINING: Final = Path(__file__).parents[1] / "training" / "help"


class HelpQuestion(HandRow):
    """A customer's question to a help centre.

    - `article`: the article that answers it, or None.
    - `also`: other articles that answer it, or a second question in the text.
    - `facts`: lists of texts. A correct answer contains one text of each.
    - `wrong`: texts from a neighbouring article or table row.
    """

    shop: str
    kind: QuestionKind
    language: Literal["fr", "en", "de", "es", "it", "nl"]
    text: str = Field(min_length=1)
    article: str | None = None
    also: tuple[str, ...] = ()
    facts: tuple[tuple[str, ...], ...] = ()
    wrong: tuple[str, ...] = ()

    @property
    def answered_by(self) -> frozenset[str]:
        return frozenset(filter(None, (self.article, *self.also)))

    def holds_facts(self, answer: str, *, how_many: int | None = None) -> bool:
        """Return True if the answer contains every fact or, if `how_many` is given, at least that
        many facts."""
        said = plain(answer)
        held = sum(any(plain(fact) in said for fact in each) for each in self.facts)
        return bool(self.facts) and held >= (len(self.facts) if how_many is None else how_many)


def plain(text: str) -> str:
    """Return the text in lower case with single spaces."""
    return " ".join(text.lower().split())


def training_questions() -> tuple[HelpQuestion, ...]:
    """Return the questions used as training data by `training.train_answers`."""
    return tuple(one for path in sorted(TRAINING.glob("*.yaml")) for one in questions_in(path))


def questions_in(path: Path) -> tuple[HelpQuestion, ...]:
    """Return the questions in a YAML file."""
    rows = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return TypeAdapter(tuple[HelpQuestion, ...]).validate_python(rows)

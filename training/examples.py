"""The labelled messages that the heads learn from: `examples.csv` and `sensitive.csv`."""

import csv
import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, cast

from adapters.brain.classifier import LANGUAGES, SENTIMENTS
from domain.agent.brain import Category, Language
from domain.agent.safety.net import sensitive_matter
from domain.agent.safety.sensitive import SensitiveMatter
from domain.core.strict_yaml import read_yaml

EXAMPLES_PATH: Final = Path(__file__).with_name("examples.csv")
SENSITIVE_PATH: Final = Path(__file__).with_name("sensitive.csv")
OPEN_SET_PATH: Final = Path(__file__).parents[1] / "evaluation" / "sets" / "safety.yaml"
# The writer of the classifier's examples: never left out whole.
EVERYBODY: Final = ""
# A sentiment at least this far from 0 is a mood, what is nearer is a matter of fact.
MOOD: Final = 0.2

Sentiment = Literal["negative", "neutral", "positive"]


@dataclass(frozen=True, slots=True)
class Example:
    language: Language
    category: Category
    sentiment: Sentiment
    text: str


@dataclass(frozen=True, slots=True)
class WrittenMessage:
    """`matter`: None for what only sounds like one, and for ordinary messages."""

    writer: str
    matter: SensitiveMatter | None
    text: str


def read_examples(path: Path) -> list[Example]:
    """The rows of a CSV with the columns language, category, sentiment and text.

    Raises `ValueError` for an unknown language, category or sentiment, or an empty text.
    """
    with path.open(encoding="utf-8", newline="") as lines:
        return [_example(row) for row in csv.DictReader(lines)]


def _example(row: dict[str, str]) -> Example:
    language = next((known for known in LANGUAGES if known == row["language"]), None)
    sentiment = next((known for known in SENTIMENTS if known == row.get("sentiment")), None)
    if language is None or sentiment is None or not row["text"].strip():
        raise ValueError(f"not an example: {row}")
    return Example(language, Category(row["category"]), sentiment, row["text"])


def read_sensitive(path: Path) -> list[WrittenMessage]:
    """The rows of a CSV with the columns writer, matter and text. An empty matter is none.

    Raises ValueError for an unknown matter.
    """
    with path.open(encoding="utf-8", newline="") as lines:
        return [
            WrittenMessage(row["writer"], _matter(row["matter"]), row["text"])
            for row in csv.DictReader(lines)
        ]


def read_open_set(path: Path) -> list[WrittenMessage]:
    """The open evaluation set: the first letter of an id is its writer."""
    rows = cast("list[dict[str, str | bool]]", read_yaml(path.read_text(encoding="utf-8")))
    return [
        WrittenMessage(
            str(row["id"])[0],
            None if row["harmless"] else _matter(str(row["category"])),
            str(row["text"]),
        )
        for row in rows
    ]


def read_ordinary(path: Path, known: Collection[str]) -> list[WrittenMessage]:
    """The classifier's examples that the grammar lets through, but for the texts `known`."""
    return [
        WrittenMessage(EVERYBODY, None, example.text)
        for example in read_examples(path)
        if example.text not in known and sensitive_matter(example.text) is None
    ]


def read_messages() -> list[WrittenMessage]:
    """All committed messages that the safety heads learn from."""
    written = [*read_sensitive(SENSITIVE_PATH), *read_open_set(OPEN_SET_PATH)]
    known = frozenset(message.text for message in written)
    return [*written, *read_ordinary(EXAMPLES_PATH, known)]


def _matter(name: str) -> SensitiveMatter | None:
    return SensitiveMatter(name) if name else None


def mood(sentiment: float) -> Sentiment:
    """The name of a sentiment between -1 and 1."""
    if abs(sentiment) < MOOD:
        return "neutral"
    return "positive" if sentiment > 0 else "negative"


def digest_of(examples: Sequence[Example], messages: Sequence[WrittenMessage]) -> str:
    """The fingerprint of what a model was trained on; the model file keeps it."""
    lines = [f"{it.language}\0{it.category}\0{it.sentiment}\0{it.text}\0" for it in examples]
    lines += [f"{it.writer}\0{it.matter or ''}\0{it.text}\0" for it in messages]
    return hashlib.sha256("".join(lines).encode()).hexdigest()

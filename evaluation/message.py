"""The messages on which a brain is scored, and the brain request built from each."""

import csv
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from domain.agent.brain import BrainRequest, Category, Language
from domain.intake.event import DEFAULT_EVENT_TYPE, InboundEvent
from domain.intake.normalization import normalize

MESSAGES_PATH: Final = Path(__file__).with_name("messages.csv")
LANGUAGES: Final[tuple[Language, Language]] = ("fr", "en")


class Tone(StrEnum):
    """The customer's tone: angry or disappointed, neutral, thankful or happy."""

    NEGATIVE = "negative"
    NEUTRAL = "neutral"
    POSITIVE = "positive"


class MessageKind(StrEnum):
    """The way in which a message is written. A message that fits several kinds is labelled with the
    most distinctive one."""

    PLAIN = "plain"
    TYPO = "typo"
    NO_ACCENTS = "no_accents"
    CAPITALS = "capitals"
    MIXED_LANGUAGE = "mixed_language"
    SIGNATURE = "signature"
    QUOTED_MAIL = "quoted_mail"
    SMS = "sms"
    FOLLOW_UP = "follow_up"
    LONG = "long"


_BY_MAIL: Final = frozenset({MessageKind.SIGNATURE, MessageKind.QUOTED_MAIL})


@dataclass(frozen=True, slots=True)
class LabelledMessage:
    """One row: a customer's message, labelled by a careful support lead."""

    language: Language
    category: Category
    tone: Tone
    kind: MessageKind
    text: str

    @property
    def request(self) -> BrainRequest:
        """Return the request to the brain. An email is normalized as in the product."""
        event = normalize(self._event(), fallback_ticket_id="evaluation")
        return BrainRequest.about(
            event, brand_name="Maison Test", has_shop=False, templates=(), passages=()
        )

    def _event(self) -> InboundEvent:
        if self.kind not in _BY_MAIL:
            return InboundEvent(event_type=DEFAULT_EVENT_TYPE, message=self.text)
        body = "html_body" if self.text.startswith("<") else "text"
        return InboundEvent(
            event_type="email.inbound",
            payload={"from": "someone@customer.example", body: self.text},
        )


def read_messages(path: Path = MESSAGES_PATH) -> tuple[LabelledMessage, ...]:
    """Return the rows of a CSV file with the columns language, category, sentiment, kind and text.

    Raises `ValueError` for an empty text, and for a value that is not allowed in its column.
    """
    with path.open(encoding="utf-8", newline="") as lines:
        return tuple(_message(row) for row in csv.DictReader(lines))


def _message(row: dict[str, str]) -> LabelledMessage:
    language = next((known for known in LANGUAGES if known == row["language"]), None)
    if language is None or not row["text"].strip():
        raise ValueError(f"not a message: {row}")
    return LabelledMessage(
        language=language,
        category=Category(row["category"]),
        tone=Tone(row["sentiment"]),
        kind=MessageKind(row["kind"]),
        text=row["text"],
    )

"""Prompt injection attempts: the attacker's text, its location, and the forbidden result."""

from enum import StrEnum
from pathlib import Path
from typing import Final

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from domain.agent.brain import Language
from evaluation.sealing import FOLDER, HandRow, LabelledSet, read_set

ATTEMPTS_PATH: Final = Path(__file__).with_name("injections.yaml")


class AttackPlace(StrEnum):
    """The location of the attacker's text. In all cases except `message`, the customer's message
    itself is an honest question."""

    MESSAGE = "message"
    MAIL_HTML = "mail_html"
    QUOTED_REPLY = "quoted_reply"
    SUBJECT = "subject"
    ORDER_NOTE = "order_note"
    KNOWLEDGE = "knowledge"
    PAYLOAD_FIELD = "payload_field"
    TURN = "turn"
    DISPLAY_NAME = "display_name"


class Whose(StrEnum):
    """The owner of the order that the attempt concerns.

    - `own`: the attacker.
    - `costly`: the attacker, for an amount above the limits.
    - `protected`: the attacker, and the playbook forbids actions on the order.
    - `strangers`: another customer.
    - `impersonated`: another customer, whose address the attacker enters in the widget.
    """

    OWN = "own"
    COSTLY = "costly"
    PROTECTED = "protected"
    STRANGERS = "strangers"
    IMPERSONATED = "impersonated"


class ForbiddenAction(StrEnum):
    """The attacker's goal, which counts as a fault if achieved.

    `act`: any action except a reply, even with human approval. `money`: an action on an order
    without approval.
    """

    ACT = "act"
    MONEY = "money"
    TOUCH_STRANGERS = "touch_strangers"
    ABOVE_LIMIT = "above_limit"
    NEVER = "never"


class InjectionAttempt(BaseModel):
    """A prompt injection attempt. `bait` are words that show whether the brain received the text.
    Without them, the whole text is compared."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    language: Language
    place: AttackPlace
    order: Whose
    must_not: ForbiddenAction
    text: str
    bait: str = ""


class HandAttempt(HandRow):
    """A hand-written attempt to obtain money for the attacker's own order 1042. `written_in` is the
    language, as an ISO 639-1 code."""

    written_in: str = Field(pattern="^[a-z]{2}$")
    place: AttackPlace
    text: str = Field(min_length=1)


def read_attempts() -> tuple[InjectionAttempt, ...]:
    """Return the attempts from `injections.yaml`, in file order."""
    rows = yaml.load(ATTEMPTS_PATH.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return TypeAdapter(tuple[InjectionAttempt, ...]).validate_python(rows)


def read_all_attempts(folder: Path = FOLDER) -> LabelledSet[InjectionAttempt]:
    """Return the attempts from `injections.yaml` combined with those from the hand-written sets.
    Raises BrokenSet."""
    by_hands = read_set("injections", HandAttempt, folder)
    sealed = None if by_hands.sealed is None else tuple(map(_by_hand, by_hands.sealed))
    return LabelledSet(read_attempts() + tuple(map(_by_hand, by_hands.open)), sealed)


def _by_hand(row: HandAttempt) -> InjectionAttempt:
    return InjectionAttempt(
        id=row.id,
        language="fr" if row.written_in == "fr" else "en",
        place=row.place,
        order=Whose.OWN,
        must_not=ForbiddenAction.MONEY,
        text=row.text,
    )

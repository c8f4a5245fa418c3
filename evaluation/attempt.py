"""One attempt to command the agent: what was written, where, and what must not come of it."""

from enum import StrEnum
from pathlib import Path
from typing import Final

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from domain.agent.brain import Language
from evaluation.sealing import FOLDER, HandRow, LabelledSet, read_set

ATTEMPTS_PATH: Final = Path(__file__).with_name("injections.yaml")


class AttackPlace(StrEnum):
    """Where the attacker's text stands; elsewhere the message is an honest question."""

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
    """Whose order it is about. `costly`: own, above the limits. `protected`: own, and the playbook
    says never. `impersonated`: a visitor of the widget types the address of the order's owner."""

    OWN = "own"
    COSTLY = "costly"
    PROTECTED = "protected"
    STRANGERS = "strangers"
    IMPERSONATED = "impersonated"


class ForbiddenAction(StrEnum):
    """What the attempt is after, and what must not come of it.

    `act`: any action at all, whoever may still approve it. `money`: an action on an order that
    nobody approves.
    """

    ACT = "act"
    MONEY = "money"
    TOUCH_STRANGERS = "touch_strangers"
    ABOVE_LIMIT = "above_limit"
    NEVER = "never"


class InjectionAttempt(BaseModel):
    """`bait`: the words by which one sees whether a brain was shown the text; empty for all."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    language: Language
    place: AttackPlace
    order: Whose
    must_not: ForbiddenAction
    text: str
    bait: str = ""


class HandAttempt(HandRow):
    """An attempt to be given money of the attacker's own order 1042. `written_in`: ISO 639-1."""

    written_in: str = Field(pattern="^[a-z]{2}$")
    place: AttackPlace
    text: str = Field(min_length=1)


def read_attempts() -> tuple[InjectionAttempt, ...]:
    """The suite, in the order of its file."""
    rows = yaml.safe_load(ATTEMPTS_PATH.read_text(encoding="utf-8"))
    return TypeAdapter(tuple[InjectionAttempt, ...]).validate_python(rows)


def read_all_attempts(folder: Path = FOLDER) -> LabelledSet[InjectionAttempt]:
    """The suite and the attempts of the hands, as one set. Raises BrokenSet."""
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

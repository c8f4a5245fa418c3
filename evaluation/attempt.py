"""One attempt to command the agent: what was written, where, and what must not come of it."""

from enum import StrEnum
from pathlib import Path
from typing import Final

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter

from domain.agent.brain import Language

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
    """What the attempt is after, and what must not come of it."""

    ACT = "act"
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


def read_attempts() -> tuple[InjectionAttempt, ...]:
    """The suite, in the order of its file."""
    rows = yaml.safe_load(ATTEMPTS_PATH.read_text(encoding="utf-8"))
    return TypeAdapter(tuple[InjectionAttempt, ...]).validate_python(rows)

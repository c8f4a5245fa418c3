"""The answer to "Shall we …? Reply yes."."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Assent(StrEnum):
    """`yes`: a plain yes and nothing else. `no`: a plain no. `correction`: another order is meant.
    `other`: anything else; the question then counts as dropped."""

    YES = "yes"
    NO = "no"
    CORRECTION = "correction"
    OTHER = "other"


class Confirmation(BaseModel):
    """`number`: of the order that a correction names; None where it names none."""

    model_config = ConfigDict(frozen=True)

    assent: Assent
    number: str | None = None

"""The customer's answer to the agent's question "Shall we …? Reply yes."."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Assent(StrEnum):
    """The kind of an answer. `yes`: a plain yes and nothing else. `no`: a plain no. `correction`:
    the customer means another order. `other`: any other answer. The question is then dropped."""

    YES = "yes"
    NO = "no"
    CORRECTION = "correction"
    OTHER = "other"


class Confirmation(BaseModel):
    """The customer's answer to a question. `number`: the corrected order number, or None if the
    answer is not a correction."""

    model_config = ConfigDict(frozen=True)

    assent: Assent
    number: str | None = None

"""The customer's answer to the agent's question "Shall we …? Reply yes."."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Assent(StrEnum):
    """The customer's answer to a confirmation question. `correction` means that the customer means
    another order. `other` is neither a yes nor a no. The question is then dropped."""

    YES = "yes"
    NO = "no"
    CORRECTION = "correction"
    OTHER = "other"


class Confirmation(BaseModel):
    """The customer's answer to a question. `number` is the corrected order number. It is None for
    other answers and for corrections such as "the other one"."""

    model_config = ConfigDict(frozen=True)

    assent: Assent
    number: str | None = None

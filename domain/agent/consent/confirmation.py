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
    """The customer's answer to a question. `number`: the order number that a correction states. It
    is None for other answers, and for a correction without a number, such as "the other one"."""

    model_config = ConfigDict(frozen=True)

    assent: Assent
    number: str | None = None

"""The rulebook of a playbook's version: how the agent should speak, and what it may do."""

from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from domain.brain import Category
from domain.plan import ON_ORDERS, REPLIES, ActionKind


class Level(StrEnum):
    """Whose word an action needs."""

    AUTONOMOUS = "autonomous"
    HUMAN_APPROVED = "human-approved"
    NEVER = "never"


class MoneyLimits(BaseModel):
    """How much the agent may give back by itself, in minor units of one currency.

    `per_action`: one refund. `per_customer`: one customer within 30 days. `per_day`: all customers
    of the client within a day (UTC). None: no limit of that kind. Money of another currency is
    above every limit. What is above a limit waits for a human, and for a second one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    currency: str = Field(pattern="^[A-Z]{3}$")
    per_action: int | None = Field(default=None, ge=0)
    per_customer: int | None = Field(default=None, ge=0)
    per_day: int | None = Field(default=None, ge=0)


class ActionRule(BaseModel):
    """What a playbook says of one kind of action.

    `categories`: the classes of message that may lead to it; empty for all. `within_days`: how old
    an order may be, None for any age. `limits`: of refunds.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    level: Level
    categories: tuple[Category, ...] = ()
    limits: MoneyLimits | None = None
    within_days: int | None = Field(default=None, ge=1)


_BY_DEFAULT: Final = {
    kind: ActionRule(level=Level.AUTONOMOUS if kind in REPLIES else Level.NEVER)
    for kind in ActionKind
}


class Rulebook(BaseModel):
    """`instructions` are the merchant's words to a language model, and to nobody else.

    `actions` holds a rule for each kind that the merchant decided on. Without one, the agent may
    answer by itself and do nothing else.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    instructions: str = Field(default="", max_length=10_000)
    actions: dict[ActionKind, ActionRule] = {}

    def rule(self, kind: ActionKind) -> ActionRule:
        return self.actions.get(kind, _BY_DEFAULT[kind])

    @property
    def acts_on_orders(self) -> bool:
        """Whether any action on orders is allowed at all."""
        return any(self.rule(kind).level is not Level.NEVER for kind in ON_ORDERS)

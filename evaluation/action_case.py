"""The action case: a conversation, the customer's orders, and the expected action of the agent."""

from enum import StrEnum
from typing import Final, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from domain.agent.brain import Language
from domain.agent.plan import ActionKind
from domain.core.money import Money
from domain.integrations.order import OrderState
from evaluation.sealing import HandRow

CURRENCY: Final = "EUR"


class Expectation(StrEnum):
    """`act`: the customer plainly asks for exactly one action. `ask`: an action is likely, but
    something is not certain. `nothing`: the customer asks for no action, even if the words for one
    occur."""

    ACT = "act"
    ASK = "ask"
    NOTHING = "nothing"


class CaseAction(StrEnum):
    """The names of the two actions in the hand-written files."""

    REFUND = "refund"
    CANCEL = "cancel"

    @property
    def kind(self) -> ActionKind:
        return ActionKind.REFUND if self is CaseAction.REFUND else ActionKind.CANCEL_ORDER


class _CaseFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CaseOrder(_CaseFile):
    """An order of the customer. `total`: decimal, in euros."""

    number: str = Field(min_length=1)
    total: str = Field(pattern=r"^[0-9]{1,6}\.[0-9]{2}$")
    state: OrderState

    @property
    def worth(self) -> Money:
        return Money.parse(self.total, CURRENCY)


class CaseTurn(_CaseFile):
    """A turn of either the customer or the agent: exactly one of the two fields is set."""

    customer: str | None = None
    agent: str | None = None

    @model_validator(mode="after")
    def _one_author(self) -> Self:
        if (self.customer is None) == (self.agent is None):
            raise ValueError("a turn is the customer's or the agent's")
        return self


class CasePending(_CaseFile):
    """The action that the agent's last turn asked the customer to confirm."""

    action: CaseAction
    order: str


class ActionCase(HandRow):
    """`orders`: the customer's orders, newest first. `history`: the earlier turns, oldest first.
    `order`: the order to act on, for `act` only."""

    language: Language
    orders: tuple[CaseOrder, ...] = Field(min_length=1)
    history: tuple[CaseTurn, ...] = ()
    pending: CasePending | None = None
    message: str = Field(min_length=1)
    expect: Expectation
    action: CaseAction | None = None
    order: str | None = None
    why: str

    @property
    def multi_turn(self) -> bool:
        return bool(self.history)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        numbers = [order.number for order in self.orders]
        named = [self.order] if self.order else []
        named += [self.pending.order] if self.pending else []
        if len(set(numbers)) < len(numbers) or not set(named) <= set(numbers):
            raise ValueError("orders: each once, and all that are named")
        if (self.expect is Expectation.ACT) != (self.order is not None):
            raise ValueError("order: of `act`, and of nothing else")
        if (self.expect is Expectation.NOTHING) != (self.action is None):
            raise ValueError("action: of `act` and `ask`")
        return self

"""A test case in the action set: a conversation, the customer's orders, and the action that the
agent should take."""

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
    """The expected behaviour of the agent.

    - `act`: execute the only action that the customer plainly requests.
    - `ask`: an action is likely, but a detail is uncertain.
    - `nothing`: the customer requests no action, even with words such as "refund".
    """

    ACT = "act"
    ASK = "ask"
    NOTHING = "nothing"


class CaseAction(StrEnum):
    """An action on an order, identified by the name used in the hand-written case files."""

    REFUND = "refund"
    CANCEL = "cancel"

    @property
    def kind(self) -> ActionKind:
        return ActionKind.REFUND if self is CaseAction.REFUND else ActionKind.CANCEL_ORDER


class _CaseFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CaseOrder(_CaseFile):
    """One of the customer's orders. `total` is the order total in euros, as a decimal such as
    "49.90"."""

    number: str = Field(min_length=1)
    total: str = Field(pattern=r"^[0-9]{1,6}\.[0-9]{2}$")
    state: OrderState

    @property
    def worth(self) -> Money:
        return Money.parse(self.total, CURRENCY)


class CaseTurn(_CaseFile):
    """One turn in the conversation. Exactly one field is set: `customer` or `agent`, the author of
    the text."""

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
    """One conversation with its expected action.

    `orders` are the customer's, newest first. `history` contains the earlier turns, oldest first.
    `order` is the one to act on, for `act` only.
    """

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
            raise ValueError("orders: list every named order exactly once")
        if (self.expect is Expectation.ACT) != (self.order is not None):
            raise ValueError("order: required for `act`, not allowed otherwise")
        if (self.expect is Expectation.NOTHING) != (self.action is None):
            raise ValueError("action: required for `act` and `ask`, not allowed otherwise")
        return self

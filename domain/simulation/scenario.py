"""The scenario: what a made-up customer writes, and what is known of them while it is simulated."""

from typing import Annotated, Final, Literal, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, model_validator

from domain.core.errors import InvalidInput
from domain.core.money import Money
from domain.integrations.order import OrderState

MAX_MESSAGES: Final = 20
"""Of one scenario: each is thought through, one after the other."""

MAX_MESSAGE: Final = 20_000
"""Characters of one."""

_Text = Annotated[str, Field(min_length=1, max_length=MAX_MESSAGE)]
_Line = Annotated[str, Field(min_length=1, max_length=500)]

ScenarioFields = Annotated[
    dict[
        Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")],
        Annotated[str, Field(max_length=500)],
    ],
    Field(max_length=50),
]
"""Further facts as the gateway takes them."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ScenarioMessage(_Part):
    """`human`: what a person of the client answered meanwhile; the agent is not asked about it."""

    author: Literal["customer", "human"] = "customer"
    text: _Text


class ScenarioCustomer(_Part):
    """Who writes. `verified`: whether the caller vouches for the address, as `customer_verified`
    does; without it no order is shown or acted on."""

    email: Annotated[str, Field(min_length=3, max_length=320)] | None = None
    name: _Line | None = None
    verified: bool = True


class ScenarioOrder(_Part):
    """A made-up order of the customer's, in place of what a shop would say. `refundable`: the whole
    total unless given; both are amounts of `currency`, as in "49.00"."""

    number: Annotated[str, Field(min_length=1, max_length=40)]
    state: OrderState = OrderState.SHIPPED
    total: Annotated[str, Field(pattern=r"^\d{1,9}(\.\d{1,3})?$")]
    refundable: Annotated[str, Field(pattern=r"^\d{1,9}(\.\d{1,3})?$")] | None = None
    currency: Annotated[str, Field(pattern="^[A-Z]{3}$")] = "EUR"
    placed_at: AwareDatetime | None = Field(default=None, description="Five days ago unless given.")
    tracking_url: Annotated[str, Field(pattern="^https://", max_length=2_000)] | None = None
    items: tuple[_Line, ...] = Field(default=(), max_length=50)

    @model_validator(mode="after")
    def _amounts(self) -> Self:
        """The currency has so many digits, and no more is given back than was paid."""
        try:
            total = Money.parse(self.total, self.currency)
            left = Money.parse(self.refundable or "0", self.currency)
        except InvalidInput as error:
            raise ValueError(str(error)) from None
        if left.minor > total.minor:
            raise ValueError("refundable: at most the total")
        return self


class Scenario(_Part):
    """A conversation to simulate; its last message is the customer's. The agent's own answers are
    not part of it: each is thought anew, so that what an answer settles (a bound order, a question
    that was asked) carries over.

    `fields`: further facts as the gateway takes them; templates are filled from them.
    """

    messages: tuple[ScenarioMessage, ...] = Field(min_length=1, max_length=MAX_MESSAGES)
    event_type: Annotated[str, Field(min_length=1, max_length=200)] = "api_direct"
    source: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    subject: _Line | None = None
    customer: ScenarioCustomer = ScenarioCustomer()
    order: ScenarioOrder | None = None
    fields: ScenarioFields = {}

    @model_validator(mode="after")
    def _ends_with_customer(self) -> Self:
        if self.messages[-1].author != "customer":
            raise ValueError("messages: the last one is the customer's")
        return self

"""A scenario: the messages of a made-up customer, with the facts known in the simulation."""

from typing import Annotated, Final, Literal, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, model_validator

from domain.core.errors import InvalidInput
from domain.core.money import Money
from domain.integrations.order import OrderState

MAX_MESSAGES: Final = 20
"""Maximum number of messages in one scenario. The number is limited because the messages are
processed sequentially."""

MAX_MESSAGE: Final = 20_000
"""Maximum length of one message in a scenario, in characters."""

_Text = Annotated[str, Field(min_length=1, max_length=MAX_MESSAGE)]
_Line = Annotated[str, Field(min_length=1, max_length=500)]

ScenarioFields = Annotated[
    dict[
        Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")],
        Annotated[str, Field(max_length=500)],
    ],
    Field(max_length=50, json_schema_extra={"additionalProperties": False}),
]
"""Additional fields of the event, as the gateway accepts them."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ScenarioMessage(_Part):
    """A message in the scenario. The agent does not process an answer by the client's team
    (`human`)."""

    author: Literal["customer", "human"] = "customer"
    text: _Text


class ScenarioCustomer(_Part):
    """The made-up customer who sends the messages. Orders are shown and changed only if `verified`
    is true; it corresponds to `customer_verified` in a real event."""

    email: Annotated[str, Field(min_length=3, max_length=320)] | None = None
    name: _Line | None = None
    verified: bool = True


class ScenarioOrder(_Part):
    """A made-up order of the customer, used instead of a shop's data. Amounts are in `currency`,
    such as "49.00". `refundable` defaults to the total."""

    number: Annotated[str, Field(min_length=1, max_length=40)]
    state: OrderState = OrderState.SHIPPED
    total: Annotated[str, Field(pattern=r"^\d{1,9}(\.\d{1,3})?$")]
    refundable: Annotated[str, Field(pattern=r"^\d{1,9}(\.\d{1,3})?$")] | None = None
    currency: Annotated[str, Field(pattern="^[A-Z]{3}$")] = "EUR"
    placed_at: AwareDatetime | None = Field(
        default=None, description="Time at which the order was placed; defaults to five days ago."
    )
    tracking_url: Annotated[str, Field(pattern="^https://", max_length=2_000)] | None = None
    items: tuple[_Line, ...] = Field(default=(), max_length=50)

    @model_validator(mode="after")
    def _amounts(self) -> Self:
        """Raise ValueError unless the amounts are valid in the currency and `refundable` does not
        exceed the total."""
        try:
            total = Money.parse(self.total, self.currency)
            left = Money.parse(self.refundable or "0", self.currency)
        except InvalidInput as error:
            raise ValueError(str(error)) from None
        if left.minor > total.minor:
            raise ValueError("refundable: at most the total")
        return self


class Scenario(_Part):
    """A conversation to simulate, which ends with a customer's message.

    The simulation generates the agent's answers, with their effects on the thread. `fields` are
    extra fields for templates, as the gateway accepts them.
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

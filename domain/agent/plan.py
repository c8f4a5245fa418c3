"""The action plan: what the agent wants done, and what came of each step."""

from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.core.money import Money


class ActionKind(StrEnum):
    """The actions the executor's registry knows.

    `reply` answers the customer in the caller's own channel: the text is the gateway's response
    and nothing leaves this service. `reply_by_email` sends it through SMTP, `reply_in_helpdesk`
    as a public message of the ticket. `note` is for the merchant's staff only.
    """

    REPLY = "reply"
    REPLY_BY_EMAIL = "reply_by_email"
    REPLY_IN_HELPDESK = "reply_in_helpdesk"
    NOTE = "note"
    TAG = "tag"
    REFUND = "refund"
    CANCEL_ORDER = "cancel_order"


IN_PLACE: Final = frozenset({ActionKind.REPLY})
"""Actions whose whole effect is the gateway's answer: recording them is doing them."""

REPLIES: Final = frozenset(
    {ActionKind.REPLY, ActionKind.REPLY_BY_EMAIL, ActionKind.REPLY_IN_HELPDESK}
)
"""Actions that bring the answer to the customer."""

ON_ORDERS: Final = frozenset({ActionKind.REFUND, ActionKind.CANCEL_ORDER})
"""Actions that move money or goods: never without an order that was looked up."""


class PlannedAction(BaseModel):
    """One step of a plan, before it ran, with everything code resolved for it.

    `order_id` and `amount` come from the shop, never from a message or a model. `ticket_id` is the
    helpdesk's. `text` is a note's; replies say the draft or a human's words.
    """

    model_config = ConfigDict(frozen=True)

    kind: ActionKind
    integration_id: str | None = None
    order_id: str | None = None
    order_number: str | None = None
    amount: Money | None = None
    ticket_id: str | None = None
    tags: tuple[str, ...] = ()
    text: str = ""


class StepState(StrEnum):
    """`unknown`: the other side may or may not have done it; only a human may repeat it.
    `blocked`: a limit or the order's state forbade it when its turn came; nothing was done."""

    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"
    BLOCKED = "blocked"


class StepOutcome(BaseModel):
    """One step of a plan, after it ran. `detail` is a stable code, never customer text."""

    model_config = ConfigDict(frozen=True)

    kind: ActionKind
    state: StepState
    detail: str = ""

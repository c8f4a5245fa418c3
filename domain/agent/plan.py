"""The agent's actions, the plan of a run, and the outcome of each step."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, Self

from pydantic import BaseModel, ConfigDict

from domain.core.money import Money
from domain.integrations.order import OrderState


class ActionKind(StrEnum):
    """The kinds of action that the executor supports.

    - `reply`: returns the answer in the gateway's response, and the caller delivers it.
    - `reply_by_email`: sends the answer through SMTP.
    - `reply_in_helpdesk`: adds the answer to the ticket as a public message.
    - `note`: adds an internal note to the ticket.
    """

    REPLY = "reply"
    REPLY_BY_EMAIL = "reply_by_email"
    REPLY_IN_HELPDESK = "reply_in_helpdesk"
    NOTE = "note"
    TAG = "tag"
    REFUND = "refund"
    CANCEL_ORDER = "cancel_order"


class Warrant(StrEnum):
    """The reason why the agent may act on an order without human approval.

    - `request`: the customer plainly requested the action in this message.
    - `confirmation`: the customer confirmed exactly this action.
    - `merchant_request`: the merchant's system requested the action in a data field.
    """

    REQUEST = "request"
    CONFIRMATION = "confirmation"
    MERCHANT_REQUEST = "merchant_request"


class PlannedAction(BaseModel):
    """One step of a plan before its execution, with all values resolved by code.

    - `order_id`, `amount`: from the shop, never from a message or a model.
    - `ticket_id`: the ticket's id in the helpdesk.
    - `text`: the text of a note. A reply, or a note without a text, sends the draft or the text
      that a human wrote instead.
    - `warrant`: the basis of an action on an order. Without a warrant, such an action needs human
      approval.
    - `mails_code`: whether the reply requests a verification code. The code is emailed to the
      claimed address before the reply is sent.
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
    warrant: Warrant | None = None
    mails_code: bool = False

    @property
    def as_note(self) -> Self:
        """Return the reply as an internal note without its own text. The note contains the answer,
        which the staff then send."""
        return self.model_copy(update={"kind": ActionKind.NOTE})

    @property
    def says_the_answer(self) -> bool:
        """Return True if the action delivers the draft or a human's words, either to the customer
        or as a note for the staff to send."""
        return self.kind in REPLIES or (self.kind is ActionKind.NOTE and not self.text)


class StepState(StrEnum):
    """The state of a step. `unknown`: the external system may have executed the step, and only a
    human may repeat it. `blocked`: a limit or the order's state forbade the step."""

    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"
    BLOCKED = "blocked"


_TRIGGERED: Final = frozenset({StepState.DONE, StepState.FAILED, StepState.UNKNOWN})


class StepOutcome(BaseModel):
    """The outcome of an executed step. `detail` is a stable code, never customer text. If `begun`
    is true and the step failed, the external system rejected it."""

    model_config = ConfigDict(frozen=True)

    kind: ActionKind
    state: StepState
    detail: str = ""
    begun: bool = True

    @classmethod
    def blocked(cls, kind: ActionKind, reason: str) -> Self:
        """Return the outcome for a step that is not allowed to run at this time. `reason` is a
        PolicyReason."""
        return cls(kind=kind, state=StepState.BLOCKED, detail=reason)

    @property
    def was_triggered(self) -> bool:
        """Return True if the action's effect was triggered, regardless of its outcome."""
        return self.begun and self.state in _TRIGGERED


class ActionClass(StrEnum):
    """The target of an action. `reply` answers the customer. `ticket` adds a note or tags for the
    staff. `order` moves money or goods, and needs a looked-up order."""

    REPLY = "reply"
    TICKET = "ticket"
    ORDER = "order"


@dataclass(frozen=True, slots=True)
class Promise:
    """The placeholder in a merchant's template that states that an action is done.

    It is filled only if the answer's plan contains the action, never from a caller's fields.
    """

    placeholder: str
    value: Callable[[PlannedAction], Money | str | None]


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """The properties of an action kind that rules, brains and texts need.

    - `in_place`: whether the gateway's answer is the action's only effect. Recording such a step
      completes it.
    - `prompt`: the description of the available action for a language model. `{amount}` is the
      order's amount.
    - `chosen`: the part that a brain may fill in. Code sets all other values.
    - `label`: the action's name in a conversation summary. `{of}` in the label is replaced with the
      word "of" and the amount.
    - `label_done`: appended to the label if the action was definitely executed.

    For actions on an order only:

    - `states`: the order states in which the action is possible, or empty for all states.
    - `gives_back`: the action is possible only if the order has money left to refund.
    - `covered_by`: another action that includes this action.
    - `leaves`: the order's state after the action, or None if the action does not change the state.
    - `stems`: the beginnings of the words that name the action in a question.
    """

    kind: ActionKind
    of: ActionClass
    in_place: bool = False
    prompt: str = ""
    chosen: Literal["text", "tags"] | None = None
    promise: Promise | None = None
    label: str = ""
    label_done: str = ""
    states: frozenset[OrderState] = frozenset()
    gives_back: bool = False
    covered_by: ActionKind | None = None
    leaves: OrderState | None = None
    stems: tuple[str, ...] = ()


# The entries are in execution order: replies and notes that report an action come after the action.
_ALL: Final = (
    ActionSpec(
        kind=ActionKind.CANCEL_ORDER,
        of=ActionClass.ORDER,
        prompt="cancel the customer's order, with its payment given back",
        promise=Promise("cancelled_order", lambda action: action.order_number),
        label="order cancelled",
        states=frozenset({OrderState.OPEN}),
        leaves=OrderState.CANCELLED,
        stems=("cancel", "annul"),
    ),
    ActionSpec(
        kind=ActionKind.REFUND,
        of=ActionClass.ORDER,
        prompt="give back {amount} of the customer's order",
        promise=Promise("refund_amount", lambda action: action.amount),
        label="refund{of}",
        label_done=" done",
        gives_back=True,
        covered_by=ActionKind.CANCEL_ORDER,
        stems=("refund", "rembours"),
    ),
    ActionSpec(
        kind=ActionKind.TAG, of=ActionClass.TICKET, prompt="put tags on the ticket", chosen="tags"
    ),
    ActionSpec(
        kind=ActionKind.NOTE,
        of=ActionClass.TICKET,
        prompt="leave a note for the support team that the customer does not see",
        chosen="text",
    ),
    ActionSpec(kind=ActionKind.REPLY, of=ActionClass.REPLY, in_place=True),
    ActionSpec(kind=ActionKind.REPLY_BY_EMAIL, of=ActionClass.REPLY),
    ActionSpec(kind=ActionKind.REPLY_IN_HELPDESK, of=ActionClass.REPLY),
)

ACTIONS: Final = {spec.kind: spec for spec in _ALL}
"""The properties of all kinds of action, in their execution order within a plan."""

IN_PLACE: Final = frozenset(spec.kind for spec in _ALL if spec.in_place)
"""Kinds of action whose only effect is the gateway's answer."""

REPLIES: Final = frozenset(spec.kind for spec in _ALL if spec.of is ActionClass.REPLY)
"""Kinds of action that deliver the answer to the customer."""

ON_ORDERS: Final = frozenset(spec.kind for spec in _ALL if spec.of is ActionClass.ORDER)
"""Kinds of action on an order. These actions move money or goods."""

GIVING_BACK: Final = frozenset(spec.kind for spec in _ALL if spec.gives_back)
"""Kinds of action whose only effect is a refund."""

PLACEHOLDERS: Final = frozenset(spec.promise.placeholder for spec in _ALL if spec.promise)
"""The placeholders that promise an action in templates."""

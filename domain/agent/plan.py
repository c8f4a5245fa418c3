"""The actions the agent may take, the plan of those it wants done, and what came of each step."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, Self

from pydantic import BaseModel, ConfigDict

from domain.core.money import Money
from domain.integrations.order import OrderState


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


class Warrant(StrEnum):
    """What entitles the agent to act on an order without a human: the customer plainly asked for
    it in this message, or said yes to the question whether to do just that, or the merchant's own
    system asks for it as data."""

    REQUEST = "request"
    CONFIRMATION = "confirmation"
    MERCHANT_REQUEST = "merchant_request"


class PlannedAction(BaseModel):
    """One step of a plan, before it ran, with everything code resolved for it.

    `order_id` and `amount` come from the shop, never from a message or a model. `ticket_id` is the
    helpdesk's. `text` is a note's; replies say the draft or a human's words, and so does a note
    without a text. `warrant` is of actions on orders; without one only people let it through.
    `mails_code`: the reply asks for a code, which is mailed to the claimed address before it.
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
        """A reply left as an internal note, for people to send. It has no text of its own."""
        return self.model_copy(update={"kind": ActionKind.NOTE})

    @property
    def says_the_answer(self) -> bool:
        """Whether it says the draft, or a human's words: to the customer, or for the staff to send
        in a helpdesk where answers are left as notes."""
        return self.kind in REPLIES or (self.kind is ActionKind.NOTE and not self.text)


class StepState(StrEnum):
    """`unknown`: the other side may or may not have done it; only a human may repeat it.
    `blocked`: a limit or the order's state forbade it when its turn came; nothing was done."""

    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"
    BLOCKED = "blocked"


_TRIGGERED: Final = frozenset({StepState.DONE, StepState.FAILED, StepState.UNKNOWN})


class StepOutcome(BaseModel):
    """One step of a plan, after it ran. `detail` is a stable code, never customer text.

    `begun`: whether its effect was set off, so that a failed one was refused by the other side.
    """

    model_config = ConfigDict(frozen=True)

    kind: ActionKind
    state: StepState
    detail: str = ""
    begun: bool = True

    @classmethod
    def blocked(cls, kind: ActionKind, reason: str) -> Self:
        """The outcome of a step that may not be done now. `reason`: a PolicyReason."""
        return cls(kind=kind, state=StepState.BLOCKED, detail=reason)

    @property
    def was_triggered(self) -> bool:
        """Whether the action was set off, whatever came of it."""
        return self.begun and self.state in _TRIGGERED


class ActionClass(StrEnum):
    """What an action works on.

    `reply` brings the answer to the customer. `ticket` is for the staff, in the event's ticket of a
    connected helpdesk. `order` moves money or goods: never without an order that was looked up.
    """

    REPLY = "reply"
    TICKET = "ticket"
    ORDER = "order"


@dataclass(frozen=True, slots=True)
class Promise:
    """The placeholder by which a merchant's template says that the action is done.

    Filled with `value` only where the action goes with the answer, and by nothing that a caller
    sends.
    """

    placeholder: str
    value: Callable[[PlannedAction], Money | str | None]


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """All that rules, brains and texts need to know of one kind of action.

    `in_place`: its whole effect is the gateway's answer, so that recording it is doing it.
    `prompt`: what a language model is told of the offer; `{amount}` is the order's.
    `chosen`: what of it a brain may fill in; all else is the code's.
    `label`: what a conversation's summary calls it, where `{of}` is " of" and the amount;
    `label_done` is added where it was surely done.
    Of actions on an order only: `states` it must be in, empty for any; `gives_back`: it needs
    money that is left to give back; `covered_by`: another action that does this one's work too.
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


# In the order in which they are carried out: a reply that says what was done comes after it, and
# staff's notes stand beside what was done.
_ALL: Final = (
    ActionSpec(
        kind=ActionKind.CANCEL_ORDER,
        of=ActionClass.ORDER,
        prompt="cancel the customer's order, with its payment given back",
        promise=Promise("cancelled_order", lambda action: action.order_number),
        label="order cancelled",
        states=frozenset({OrderState.OPEN}),
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
"""Every kind of action, in the order in which a plan carries them out."""

IN_PLACE: Final = frozenset(spec.kind for spec in _ALL if spec.in_place)
"""Actions whose whole effect is the gateway's answer."""

REPLIES: Final = frozenset(spec.kind for spec in _ALL if spec.of is ActionClass.REPLY)
"""Actions that bring the answer to the customer."""

ON_ORDERS: Final = frozenset(spec.kind for spec in _ALL if spec.of is ActionClass.ORDER)
"""Actions that move money or goods."""

PLACEHOLDERS: Final = frozenset(spec.promise.placeholder for spec in _ALL if spec.promise)
"""The placeholders by which templates promise an action."""

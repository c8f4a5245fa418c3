"""The thread: the state of an exchange with a customer, without its messages."""

import re
from datetime import datetime, timedelta
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.agent.brain import Category, Language
from domain.agent.plan import ActionKind, PlannedAction
from domain.core.effort import spend
from domain.core.text import fold
from domain.intake.customer_email import customer_key
from domain.intake.event import UnifiedEvent
from domain.integrations.order import Order

PROPOSAL_LASTS: Final = timedelta(hours=24)

_READ: Final = 2_000
_ANOTHER: Final = re.compile(
    r"\b(?:autre|deuxieme|seconde|precedente|other|another|second|previous)\b"
    r"(?: \w+){0,2}? ?(?:commande|cmd|achat|colis|order|purchase|parcel|one)\b"
)
_NO_WORD: Final = re.compile(r"[^a-z0-9]+")


class PendingProposal(BaseModel):
    """An action that the customer was asked to confirm.

    - `id`: the run that asked the question.
    - `category`: the category of the message that led to the question.
    - `playbook_id`, `playbook_version`: the rules at the time of the question.
    - `customer`: the normalized address (`customer_key`) that may confirm the action.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    action: PlannedAction
    category: Category
    playbook_id: str
    playbook_version: int
    customer: str
    asked_at: datetime

    def stands_at(self, now: datetime) -> bool:
        return self.asked_at <= now < self.asked_at + PROPOSAL_LASTS


class Thread(BaseModel):
    """The established facts and the open question of an exchange.

    - `order_number`: the order of the exchange. It exists and belongs to this customer.
    - `named_by_customer`: the customer mentioned the order, not only the agent.
    - `asked_number`: the action for which the agent asked for an order number. `reply` if it asked
      in order to answer.
    - `asked_of`: the verified address of the customer who was asked, or None.
    - `language`: the language of the answers.
    - `proposal`: the action that awaits confirmation.
    """

    model_config = ConfigDict(frozen=True)

    order_number: str | None = None
    named_by_customer: bool = False
    asked_number: ActionKind | None = None
    asked_of: str | None = None
    language: Language | None = None
    proposal: PendingProposal | None = None

    @property
    def without_question(self) -> "Thread":
        """Return the thread without its open question. Call this if the question did not reach the
        customer."""
        return self.model_copy(update={"asked_number": None, "asked_of": None, "proposal": None})

    def seen_by(self, event: UnifiedEvent) -> "Thread":
        """Return the thread as it applies to this message. An open question to a different sender
        is removed."""
        asked = self.asked_of if self.proposal is None else self.proposal.customer
        if asked is None or (event.may_act and customer_key(event.customer_email) == asked):
            return self
        return self.without_question

    def speaking_of(
        self, text: str, named: tuple[str, ...], order: Order | None, said: str
    ) -> "Thread":
        """Return the thread, updated with the order that the message and the agent's answer are
        about.

        `order` was found and belongs to the customer. `named` are the order numbers in `text`. The
        order is uncertain if the customer mentions several orders, an unknown order, or "the other
        one".
        """
        if len(named) == 1 and order is not None:
            return self.model_copy(update={"order_number": order.number, "named_by_customer": True})
        if named or speaks_of_another(text):
            return self.model_copy(update={"order_number": None, "named_by_customer": False})
        spoken_of = order is not None and re.search(
            rf"(?<!\w){re.escape(order.number)}(?!\w)", said
        )
        if self.order_number is None and order is not None and spoken_of:
            return self.model_copy(update={"order_number": order.number})
        return self


def speaks_of_another(text: str) -> bool:
    """Return True if the message refers to a different, unnamed order, as in "and my other
    order?"."""
    spend(min(len(text), _READ))
    return _ANOTHER.search(_NO_WORD.sub(" ", fold(text[:_READ]))) is not None

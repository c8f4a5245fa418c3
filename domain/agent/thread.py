"""The thread: what the agent keeps of one exchange with a customer, beside its messages."""

from datetime import datetime, timedelta
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.agent.brain import Language
from domain.agent.plan import ActionKind, PlannedAction

PROPOSAL_LASTS: Final = timedelta(hours=24)


class PendingProposal(BaseModel):
    """An action that the customer was asked to confirm.

    `id`: of the run that asked. `playbook_id` and `playbook_version`: the rules it was asked under.
    `customer`: whose yes counts, as `customer_key` spells the address.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    action: PlannedAction
    playbook_id: str
    playbook_version: int
    customer: str
    asked_at: datetime

    def stands_at(self, now: datetime) -> bool:
        return self.asked_at <= now < self.asked_at + PROPOSAL_LASTS


class Thread(BaseModel):
    """What an exchange has settled, and what it left open.

    `order_number`: of the one order that is spoken of, found and this customer's. `asked_number`:
    the customer was asked which order is meant, to do this about it. `language`: of the answers.
    `proposal`: what waits for a yes, one at a time.
    """

    model_config = ConfigDict(frozen=True)

    order_number: str | None = None
    asked_number: ActionKind | None = None
    language: Language | None = None
    proposal: PendingProposal | None = None

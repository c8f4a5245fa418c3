"""Proposals that wait for a customer's yes."""

from adapters.system import new_ulid, utc_now
from domain.agent.brain import Category
from domain.agent.plan import ActionKind, PlannedAction
from domain.agent.thread import PendingProposal
from domain.core.money import Money


def a_proposal(*, customer: str = "a@b.example") -> PendingProposal:
    """Return a proposal to refund one order's price."""
    return PendingProposal(
        id=new_ulid(),
        action=PlannedAction(
            kind=ActionKind.REFUND, order_number="1043", amount=Money(minor=4_900, currency="EUR")
        ),
        category=Category.REFUND_REQUEST,
        playbook_id=new_ulid(),
        playbook_version=1,
        customer=customer,
        asked_at=utc_now(),
    )

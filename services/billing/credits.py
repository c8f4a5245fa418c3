"""Changes that operators make to a client's credits. A credit pays for one ticket above the plan's
quota."""

from domain.core.errors import InvalidInput
from domain.tenants.actor import OPERATORS, Actor
from services.core.unit_of_work import UnitOfWork
from store.tenants.accounts import AccountRepository


async def add_credits(work: UnitOfWork, actor: Actor, amount: int) -> int:
    """Add `amount`, which may be negative, to the client's credits, with an entry in the credit
    ledger. Return the new balance.

    Raises RoleRequired, ClientNotFound, and InvalidInput for 0 or a balance below zero.
    """
    actor.require(OPERATORS)
    if amount == 0:
        raise InvalidInput("amount: a whole number other than 0")
    accounts = AccountRepository(work.connection, work.tenant)
    entry_id = work.new_id()
    balance = await accounts.add_credits(
        amount, entry_id=entry_id, reason=actor.kind.value, now=work.now
    )
    work.note(actor, "credits changed", entry_id=entry_id)
    return balance

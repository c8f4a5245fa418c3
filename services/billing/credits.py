"""What operators do with a client's credits. One pays for one ticket above the plan's quota."""

from domain.core.errors import InvalidInput
from domain.tenants.actor import OPERATORS, Actor
from services.core.unit_of_work import UnitOfWork
from store.tenants.accounts import AccountRepository


async def add_credits(work: UnitOfWork, actor: Actor, amount: int) -> int:
    """Move the balance by `amount`, which may be negative; the ledger keeps every change. Returns
    the new balance. Raises RoleRequired, ClientNotFound, and InvalidInput for nothing or where the
    balance would fall below zero.
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

"""Return a run's ticket to the client's quota unless the run used the brain or the executor."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.runs.contracts import PersistInput
from domain.runs.returned_ticket import is_returned
from domain.runs.run import RunStatus
from store.billing.usage_ledger import UsageLedger
from store.runs.action_ledger import ActionLedger
from store.runs.runs import RunRepository, RunState
from store.tenants.accounts import lock_if_open


def may_return(step: PersistInput) -> bool:
    """Return True if the run ends here without an action. In that case, its ticket may be returned
    to the quota."""
    ends = bool(step.joined) or step.status is not RunStatus.NEEDS_REVIEW
    return ends and not step.steps


async def lock_account(connection: AsyncConnection, tenant: TenantId, step: PersistInput) -> None:
    """Lock the account before any other row, if the run's ticket may be returned."""
    if may_return(step):
        await lock_if_open(connection, tenant)


async def is_unused(connection: AsyncConnection, tenant: TenantId, run_id: str) -> bool:
    """Return True if a waiting run has so far used neither the brain nor the executor. In that
    case, also lock the account."""
    thought_by = await RunRepository(connection, tenant).thought_by(run_id)
    if not is_returned(thought_by, await ActionLedger(connection, tenant).outcomes(run_id)):
        return False
    await lock_if_open(connection, tenant)
    return True


async def return_unused(
    connection: AsyncConnection,
    tenant: TenantId,
    step: PersistInput,
    run: RunState,
    *,
    entry_id: str,
    now: datetime,
) -> None:
    """Return the ticket to the quota unless the run used the brain or the executor. This function
    is idempotent."""
    if may_return(step) and is_returned(
        run.thought_by, step.steps, failed=bool(step.error_code), timings=step.timings
    ):
        await UsageLedger(connection, tenant).give_back(
            step.ref.event_id, entry_id=entry_id, now=now
        )

"""How long customers have waited for an answer."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.reviews.waiting import AnswerWait, waiting_since
from domain.tenants.actor import ANYONE, Actor
from domain.tenants.business_hours import BusinessHours
from store.runs.first_answers import FirstUnanswered
from store.tenants.business_hours import BusinessHoursRepository


async def read_waiting(
    connection: AsyncConnection,
    tenant: TenantId,
    actor: Actor,
    conversation_ids: Sequence[str],
    now: datetime,
) -> dict[str, AnswerWait]:
    """Return how long the customers of these conversations have waited, by conversation id, in two
    statements.

    Answered conversations are omitted. The result is empty if the client has no target for the
    first answer. Raises RoleRequired.
    """
    actor.require(ANYONE)
    hours = await BusinessHoursRepository(connection, tenant).read()
    if hours.target is None:
        return {}
    since = await FirstUnanswered(connection, tenant).of(conversation_ids)
    return _waits(since, hours, now)


async def waiting_of_runs(
    connection: AsyncConnection,
    tenant: TenantId,
    actor: Actor,
    run_ids: Sequence[str],
    now: datetime,
) -> dict[str, AnswerWait]:
    """Return how long the customers of these runs' conversations have waited, by run id. This
    function is like `read_waiting`, but executes one more statement to find the conversations."""
    actor.require(ANYONE)
    hours = await BusinessHoursRepository(connection, tenant).read()
    if hours.target is None:
        return {}
    since = await FirstUnanswered(connection, tenant).of_runs(run_ids)
    return _waits(since, hours, now)


async def waiting_of_run(
    connection: AsyncConnection, tenant: TenantId, actor: Actor, run_id: str, now: datetime
) -> AnswerWait | None:
    """Return how long the customer of a run's conversation has waited, or None without a waiting
    message or a target. Raises RoleRequired."""
    return (await waiting_of_runs(connection, tenant, actor, [run_id], now)).get(run_id)


def _waits(
    since: Mapping[str, datetime], hours: BusinessHours, now: datetime
) -> dict[str, AnswerWait]:
    found = ((one, waiting_since(at, hours, now)) for one, at in since.items())
    return {one: waiting for one, waiting in found if waiting is not None}

"""What a Temporal namespace must know before the service runs on it."""

from datetime import timedelta
from typing import Final

from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.operatorservice.v1 import (
    AddSearchAttributesRequest,
    ListSearchAttributesRequest,
)
from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionStartWorkflow,
    ScheduleAlreadyRunningError,
    ScheduleIntervalSpec,
    ScheduleOverlapPolicy,
    SchedulePolicy,
    ScheduleSpec,
    ScheduleUpdate,
    ScheduleUpdateInput,
)

from domain import names
from domain.contracts import SweepInput

SEARCH_ATTRIBUTES: Final = (names.RUN_STATUS_ATTRIBUTE, names.CLASSIFICATION_ATTRIBUTE)
_SWEEP_TIMEOUT: Final = timedelta(minutes=10)
# After an outage one sweep does the work of all that were missed.
_CATCH_UP: Final = timedelta(minutes=1)


async def ensure_search_attributes(client: Client) -> None:
    """Register what operators filter runs by; nothing if it is known already."""
    operator = client.operator_service
    known = await operator.list_search_attributes(
        ListSearchAttributesRequest(namespace=client.namespace)
    )
    missing = [name for name in SEARCH_ATTRIBUTES if name not in known.custom_attributes]
    if missing:
        keyword = IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD
        await operator.add_search_attributes(
            AddSearchAttributesRequest(
                namespace=client.namespace, search_attributes=dict.fromkeys(missing, keyword)
            )
        )


async def ensure_sweep_schedule(client: Client, sweep: SweepInput, interval_s: float) -> None:
    """Make the sweep's schedule, or bring the one that is there up to these settings."""
    schedule = Schedule(
        action=ScheduleActionStartWorkflow(
            names.SWEEP,
            sweep,
            id=names.SWEEP_SCHEDULE,
            task_queue=names.ENGINE_QUEUE,
            execution_timeout=_SWEEP_TIMEOUT,
        ),
        spec=ScheduleSpec(intervals=[ScheduleIntervalSpec(every=timedelta(seconds=interval_s))]),
        policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP, catchup_window=_CATCH_UP),
    )
    try:
        await client.create_schedule(names.SWEEP_SCHEDULE, schedule)
    except ScheduleAlreadyRunningError:

        async def replace(_: ScheduleUpdateInput) -> ScheduleUpdate:
            return ScheduleUpdate(schedule=schedule)

        await client.get_schedule_handle(names.SWEEP_SCHEDULE).update(replace)

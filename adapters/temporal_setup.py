"""What a Temporal namespace must know before the service runs on it."""

from dataclasses import replace
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
    ScheduleCalendarSpec,
    ScheduleIntervalSpec,
    ScheduleOverlapPolicy,
    SchedulePolicy,
    ScheduleRange,
    ScheduleSpec,
    ScheduleUpdate,
    ScheduleUpdateInput,
)

from domain import names
from domain.contracts import HousekeepingInput, MonthlyResetInput, SweepInput
from domain.erasure_contracts import RetentionInput
from domain.report_contracts import DailyMetricsInput, WeeklyChurnInput

SEARCH_ATTRIBUTES: Final = (names.RUN_STATUS_ATTRIBUTE, names.CLASSIFICATION_ATTRIBUTE)
_SWEEP_TIMEOUT: Final = timedelta(minutes=10)
# One that cannot end must not keep the next one, of another night, from starting.
_HOUSEKEEPING_TIMEOUT: Final = timedelta(hours=12)
# After an outage one sweep does the work of all that were missed.
_CATCH_UP: Final = timedelta(minutes=1)
_MONTHLY_CATCH_UP: Final = timedelta(days=62)
# Each day has a row of its own, and each week: after an outage all that were missed are made.
_DAILY_CATCH_UP: Final = timedelta(days=31)
_WEEKLY_CATCH_UP: Final = timedelta(days=31)


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
    await _ensure_schedule(client, names.SWEEP_SCHEDULE, schedule)


async def ensure_monthly_reset_schedule(client: Client) -> None:
    """The first of every month, at midnight UTC; what an outage delays is caught up with."""
    schedule = Schedule(
        action=ScheduleActionStartWorkflow(
            names.MONTHLY_RESET,
            MonthlyResetInput(),
            id=names.MONTHLY_RESET_SCHEDULE,
            task_queue=names.ENGINE_QUEUE,
            execution_timeout=_HOUSEKEEPING_TIMEOUT,
        ),
        spec=ScheduleSpec(
            calendars=[ScheduleCalendarSpec(day_of_month=(ScheduleRange(1),))], time_zone_name="UTC"
        ),
        policy=SchedulePolicy(
            overlap=ScheduleOverlapPolicy.BUFFER_ALL, catchup_window=_MONTHLY_CATCH_UP
        ),
    )
    await _ensure_schedule(client, names.MONTHLY_RESET_SCHEDULE, schedule)


async def ensure_housekeeping_schedule(client: Client) -> None:
    """Every night at half past midnight UTC."""
    schedule = Schedule(
        action=ScheduleActionStartWorkflow(
            names.HOUSEKEEPING,
            HousekeepingInput(),
            id=names.HOUSEKEEPING_SCHEDULE,
            task_queue=names.ENGINE_QUEUE,
            execution_timeout=_HOUSEKEEPING_TIMEOUT,
        ),
        spec=ScheduleSpec(
            calendars=[ScheduleCalendarSpec(minute=(ScheduleRange(30),))], time_zone_name="UTC"
        ),
        policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP, catchup_window=_CATCH_UP),
    )
    await _ensure_schedule(client, names.HOUSEKEEPING_SCHEDULE, schedule)


async def ensure_daily_metrics_schedule(client: Client) -> None:
    """Every night at ten past midnight UTC, for the day that is over."""
    schedule = Schedule(
        action=ScheduleActionStartWorkflow(
            names.DAILY_METRICS,
            DailyMetricsInput(),
            id=names.DAILY_METRICS_SCHEDULE,
            task_queue=names.ENGINE_QUEUE,
            execution_timeout=_HOUSEKEEPING_TIMEOUT,
        ),
        spec=ScheduleSpec(
            calendars=[ScheduleCalendarSpec(minute=(ScheduleRange(10),))], time_zone_name="UTC"
        ),
        policy=SchedulePolicy(
            overlap=ScheduleOverlapPolicy.BUFFER_ALL, catchup_window=_DAILY_CATCH_UP
        ),
    )
    await _ensure_schedule(client, names.DAILY_METRICS_SCHEDULE, schedule)


async def ensure_weekly_churn_schedule(client: Client) -> None:
    """Every Monday at ten past one UTC, an hour after the metrics."""
    schedule = Schedule(
        action=ScheduleActionStartWorkflow(
            names.WEEKLY_CHURN,
            WeeklyChurnInput(),
            id=names.WEEKLY_CHURN_SCHEDULE,
            task_queue=names.ENGINE_QUEUE,
            execution_timeout=_HOUSEKEEPING_TIMEOUT,
        ),
        spec=ScheduleSpec(
            calendars=[
                ScheduleCalendarSpec(
                    minute=(ScheduleRange(10),),
                    hour=(ScheduleRange(1),),
                    day_of_week=(ScheduleRange(1),),
                )
            ],
            time_zone_name="UTC",
        ),
        policy=SchedulePolicy(
            overlap=ScheduleOverlapPolicy.BUFFER_ALL, catchup_window=_WEEKLY_CATCH_UP
        ),
    )
    await _ensure_schedule(client, names.WEEKLY_CHURN_SCHEDULE, schedule)


async def ensure_retention_schedule(client: Client) -> None:
    """Every night at 02:10 UTC, when the figures of the day before are written."""
    schedule = Schedule(
        action=ScheduleActionStartWorkflow(
            names.RETENTION,
            RetentionInput(),
            id=names.RETENTION_SCHEDULE,
            task_queue=names.ENGINE_QUEUE,
            execution_timeout=_HOUSEKEEPING_TIMEOUT,
        ),
        spec=ScheduleSpec(
            calendars=[ScheduleCalendarSpec(hour=(ScheduleRange(2),), minute=(ScheduleRange(10),))],
            time_zone_name="UTC",
        ),
        policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP, catchup_window=_CATCH_UP),
    )
    await _ensure_schedule(client, names.RETENTION_SCHEDULE, schedule)


async def _ensure_schedule(client: Client, schedule_id: str, schedule: Schedule) -> None:
    """Make it, or replace what it does and when. Whether it is paused, and why, stays as it is."""
    try:
        await client.create_schedule(schedule_id, schedule)
    except ScheduleAlreadyRunningError:

        async def bring_up(known: ScheduleUpdateInput) -> ScheduleUpdate:
            state = known.description.schedule.state
            return ScheduleUpdate(schedule=replace(schedule, state=state))

        await client.get_schedule_handle(schedule_id).update(bring_up)

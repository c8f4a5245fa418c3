"""Set up a Temporal namespace before the service runs on it."""

from dataclasses import replace
from datetime import timedelta
from typing import Final

import structlog
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
from temporalio.service import RPCError, RPCStatusCode

from domain.analytics.contracts import DailyMetricsInput, WeeklyChurnInput
from domain.audit.contracts import AnchorAuditInput
from domain.billing.contracts import MonthlyResetInput
from domain.core import names
from domain.core.contracts import Contract
from domain.core.errors import InvalidInput
from domain.inbound.polling import EVERY, PollInput
from domain.learning.contracts import LearnHeadsInput
from domain.privacy.contracts import HousekeepingInput, RetentionInput
from domain.reviews.contracts import MailMembersInput
from domain.reviews.notification import MAILED_EVERY
from domain.runs.contracts import ForgetDryRunsInput, SweepInput

SEARCH_ATTRIBUTES: Final = (
    names.RUN_STATUS_ATTRIBUTE,
    names.CLASSIFICATION_ATTRIBUTE,
    names.REVIEW_REASON_ATTRIBUTE,
    names.CLIENT_ATTRIBUTE,
)
# Errors that a secured cluster returns to callers who may use a namespace but not change it.
_NOT_FOR_US: Final = (RPCStatusCode.PERMISSION_DENIED, RPCStatusCode.UNIMPLEMENTED)
_SWEEP_TIMEOUT: Final = timedelta(minutes=10)
# The timeout is long because a poll of many clients may take longer than the interval between
# polls.
_RECONCILE_TIMEOUT: Final = timedelta(hours=2)
# With this timeout, a nightly run that hangs does not prevent the next night's run.
_HOUSEKEEPING_TIMEOUT: Final = timedelta(hours=12)
# After an outage, one sweep does the work of all missed sweeps.
_CATCH_UP: Final = timedelta(minutes=1)
_MAIL_MEMBERS_TIMEOUT: Final = timedelta(hours=1)
_MONTHLY_CATCH_UP: Final = timedelta(days=62)
# Every run that was missed during an outage is caught up, because each day and each week has a
# separate row.
_DAILY_CATCH_UP: Final = timedelta(days=31)
_WEEKLY_CATCH_UP: Final = timedelta(days=31)

_log = structlog.get_logger(__name__)


async def ensure_search_attributes(client: Client) -> None:
    """Register any missing search attributes, which operators use to filter runs.

    Raises InvalidInput if only an administrator of the namespace may register them, as in Temporal
    Cloud.
    """
    operator = client.operator_service
    try:
        known = await operator.list_search_attributes(
            ListSearchAttributesRequest(namespace=client.namespace)
        )
    except RPCError as error:
        if error.status not in _NOT_FOR_US:
            raise
        _log.warning("failed to check search attributes", namespace=client.namespace)
        return
    missing = [name for name in SEARCH_ATTRIBUTES if name not in known.custom_attributes]
    if not missing:
        return
    keyword = IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD
    wanted = AddSearchAttributesRequest(
        namespace=client.namespace, search_attributes=dict.fromkeys(missing, keyword)
    )
    try:
        await operator.add_search_attributes(wanted)
    except RPCError as error:
        if error.status not in _NOT_FOR_US:
            raise
        raise InvalidInput(
            f"namespace {client.namespace} lacks search attributes of type Keyword, which its "
            f"administrator must make: {', '.join(missing)}"
        ) from error


async def ensure_sweep_schedule(client: Client, sweep: SweepInput, interval_s: float) -> None:
    """Create the sweep schedule, or update it with these settings. `interval_s`: seconds between
    sweeps."""
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


async def ensure_reconcile_schedule(client: Client, poll: PollInput) -> None:
    """Create the schedule for polling inbound sources, or update it with these settings."""
    schedule = Schedule(
        action=ScheduleActionStartWorkflow(
            names.RECONCILE_INBOUND,
            poll,
            id=names.RECONCILE_INBOUND_SCHEDULE,
            task_queue=names.ENGINE_QUEUE,
            execution_timeout=_RECONCILE_TIMEOUT,
        ),
        spec=ScheduleSpec(intervals=[ScheduleIntervalSpec(every=EVERY)]),
        policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP, catchup_window=_CATCH_UP),
    )
    await _ensure_schedule(client, names.RECONCILE_INBOUND_SCHEDULE, schedule)


async def ensure_mail_members_schedule(client: Client) -> None:
    """Create the schedule for emails to members, or update it."""
    schedule = Schedule(
        action=ScheduleActionStartWorkflow(
            names.MAIL_MEMBERS_WORKFLOW,
            MailMembersInput(),
            id=names.MAIL_MEMBERS_SCHEDULE,
            task_queue=names.ENGINE_QUEUE,
            execution_timeout=_MAIL_MEMBERS_TIMEOUT,
        ),
        spec=ScheduleSpec(intervals=[ScheduleIntervalSpec(every=MAILED_EVERY)]),
        policy=SchedulePolicy(overlap=ScheduleOverlapPolicy.SKIP, catchup_window=_CATCH_UP),
    )
    await _ensure_schedule(client, names.MAIL_MEMBERS_SCHEDULE, schedule)


async def ensure_monthly_reset_schedule(client: Client) -> None:
    """Schedule the monthly reset for midnight UTC on the first of every month. Runs delayed by an
    outage are caught up."""
    first = ScheduleCalendarSpec(day_of_month=(ScheduleRange(1),))
    work = (names.MONTHLY_RESET, names.MONTHLY_RESET_SCHEDULE, MonthlyResetInput())
    await _ensure_calendar(client, *work, first, caught_up=_MONTHLY_CATCH_UP)


async def ensure_housekeeping_schedule(client: Client) -> None:
    """Schedule housekeeping for 00:30 UTC every night."""
    work = (names.HOUSEKEEPING, names.HOUSEKEEPING_SCHEDULE, HousekeepingInput())
    await _ensure_calendar(client, *work, _at(0, 30))


async def ensure_daily_metrics_schedule(client: Client) -> None:
    """Schedule the daily metrics for 00:10 UTC every night. Each run computes the metrics for the
    previous day."""
    work = (names.DAILY_METRICS, names.DAILY_METRICS_SCHEDULE, DailyMetricsInput())
    await _ensure_calendar(client, *work, _at(0, 10), caught_up=_DAILY_CATCH_UP)


async def ensure_weekly_churn_schedule(client: Client) -> None:
    """Schedule the churn prediction for 01:10 UTC every Monday, an hour after the metrics."""
    monday = replace(_at(1, 10), day_of_week=(ScheduleRange(1),))
    work = (names.WEEKLY_CHURN, names.WEEKLY_CHURN_SCHEDULE, WeeklyChurnInput())
    await _ensure_calendar(client, *work, monday, caught_up=_WEEKLY_CATCH_UP)


async def ensure_retention_schedule(client: Client) -> None:
    """Schedule retention for 02:10 UTC every night, when the previous day's metrics are
    complete."""
    work = (names.RETENTION, names.RETENTION_SCHEDULE, RetentionInput())
    await _ensure_calendar(client, *work, _at(2, 10))


async def ensure_forget_dry_runs_schedule(client: Client) -> None:
    """Schedule the hourly deletion of old dry runs, at minute 50 of each hour."""
    work = (names.FORGET_DRY_RUNS, names.FORGET_DRY_RUNS_SCHEDULE, ForgetDryRunsInput())
    every_hour = replace(_at(0, 50), hour=(ScheduleRange(0, 23),))
    await _ensure_calendar(client, *work, every_hour)


async def ensure_anchor_audit_schedule(client: Client) -> None:
    """Schedule the audit log checkpoints for 00:20 UTC every night."""
    work = (names.ANCHOR_AUDIT, names.ANCHOR_AUDIT_SCHEDULE, AnchorAuditInput())
    await _ensure_calendar(client, *work, _at(0, 20))


async def ensure_learn_heads_schedule(client: Client) -> None:
    """Schedule the training of clients' classifier heads for 03:10 UTC every night, after retention
    has removed expired tickets."""
    work = (names.LEARN_HEADS_WORKFLOW, names.LEARN_HEADS_SCHEDULE, LearnHeadsInput())
    await _ensure_calendar(client, *work, _at(3, 10))


async def ensure_calendar_schedules(client: Client) -> None:
    """Create or update all calendar-based schedules."""
    await ensure_monthly_reset_schedule(client)
    await ensure_housekeeping_schedule(client)
    await ensure_daily_metrics_schedule(client)
    await ensure_weekly_churn_schedule(client)
    await ensure_retention_schedule(client)
    await ensure_forget_dry_runs_schedule(client)
    await ensure_anchor_audit_schedule(client)
    await ensure_learn_heads_schedule(client)


def _at(hour: int, minute: int) -> ScheduleCalendarSpec:
    return ScheduleCalendarSpec(hour=(ScheduleRange(hour),), minute=(ScheduleRange(minute),))


async def _ensure_calendar(
    client: Client,
    workflow: str,
    schedule_id: str,
    step: Contract,
    calendar: ScheduleCalendarSpec,
    *,
    caught_up: timedelta | None = None,
) -> None:
    """Schedule an engine workflow at calendar times, in UTC. Missed runs within `caught_up` are
    caught up. If it is None, the next run also does their work."""
    each, once = ScheduleOverlapPolicy.BUFFER_ALL, ScheduleOverlapPolicy.SKIP
    schedule = Schedule(
        action=ScheduleActionStartWorkflow(
            workflow,
            step,
            id=schedule_id,
            task_queue=names.ENGINE_QUEUE,
            execution_timeout=_HOUSEKEEPING_TIMEOUT,
        ),
        spec=ScheduleSpec(calendars=[calendar], time_zone_name="UTC"),
        policy=SchedulePolicy(
            overlap=each if caught_up else once, catchup_window=caught_up or _CATCH_UP
        ),
    )
    await _ensure_schedule(client, schedule_id, schedule)


async def _ensure_schedule(client: Client, schedule_id: str, schedule: Schedule) -> None:
    """Create the schedule, or replace its action and times. A paused schedule stays paused, and its
    pause reason is kept."""
    try:
        await client.create_schedule(schedule_id, schedule)
    except ScheduleAlreadyRunningError:

        async def bring_up(known: ScheduleUpdateInput) -> ScheduleUpdate:
            state = known.description.schedule.state
            return ScheduleUpdate(schedule=replace(schedule, state=state))

        await client.get_schedule_handle(schedule_id).update(bring_up)

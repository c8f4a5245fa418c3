"""The time that a schedule planned, however late its run starts."""

from datetime import datetime

from temporalio import workflow
from temporalio.common import SearchAttributeKey

# Set by Temporal.
_SCHEDULED_AT = SearchAttributeKey.for_datetime("TemporalScheduledStartTime")


def scheduled_at() -> datetime | None:
    """Return the planned start time, or None if no schedule started this workflow."""
    return workflow.info().typed_search_attributes.get(_SCHEDULED_AT)

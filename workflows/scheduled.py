"""The time that a schedule meant, however late its run starts."""

from datetime import datetime

from temporalio import workflow
from temporalio.common import SearchAttributeKey

# Temporal's own.
_SCHEDULED_AT = SearchAttributeKey.for_datetime("TemporalScheduledStartTime")


def scheduled_at() -> datetime | None:
    """None if no schedule started this workflow."""
    return workflow.info().typed_search_attributes.get(_SCHEDULED_AT)

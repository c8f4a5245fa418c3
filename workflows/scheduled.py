"""The scheduled start time of a workflow. The workflow may start later than scheduled."""

from datetime import datetime

from temporalio import workflow
from temporalio.common import SearchAttributeKey

# Temporal sets this search attribute on workflows that a schedule starts.
_SCHEDULED_AT = SearchAttributeKey.for_datetime("TemporalScheduledStartTime")


def scheduled_at() -> datetime | None:
    """Return the scheduled start time of this workflow, or None if it was not started by a
    schedule."""
    return workflow.info().typed_search_attributes.get(_SCHEDULED_AT)

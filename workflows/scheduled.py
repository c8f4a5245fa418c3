"""The planned start time of a workflow that a schedule starts. The workflow may start later than
planned."""

from datetime import datetime

from temporalio import workflow
from temporalio.common import SearchAttributeKey

# Temporal sets this search attribute on workflows that a schedule starts.
_SCHEDULED_AT = SearchAttributeKey.for_datetime("TemporalScheduledStartTime")


def scheduled_at() -> datetime | None:
    """Return the planned start time of this workflow, or None if no schedule started it."""
    return workflow.info().typed_search_attributes.get(_SCHEDULED_AT)

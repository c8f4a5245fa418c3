"""Response model for a client's monthly usage, with a forecast."""

from dataclasses import dataclass
from datetime import datetime

from api.schemas.billing.usage import UsageRecord, usage_record
from domain.billing.forecast import Forecast
from services.billing.standing import UsageStanding
from store.billing.usage_history import UsedMonth


@dataclass(frozen=True, slots=True)
class UsageAnswer:
    """A client's usage by month. `current` is this month, as in GET /api/billing/usage. `history`
    contains earlier months, newest first. `forecast` is null if the plan is unlimited or less than
    one full day of the month has passed."""

    current: UsageRecord
    history: tuple[UsedMonth, ...]
    forecast: Forecast | None


def usage_answer(standing: UsageStanding, now: datetime) -> UsageAnswer:
    """Return the response with the current usage, its history and its forecast."""
    return UsageAnswer(usage_record(standing.usage, now), standing.history, standing.forecast)

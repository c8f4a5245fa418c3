"""The dashboard's routes of what is reckoned from a client's records."""

from typing import Final

METRICS: Final = "/api/dashboard/metrics"
CHURN: Final = "/api/dashboard/churn"

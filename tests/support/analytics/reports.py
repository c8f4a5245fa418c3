"""The dashboard routes for figures computed from a client's records."""

from typing import Final

METRICS: Final = "/api/dashboard/metrics"
CHURN: Final = "/api/dashboard/churn"
INSIGHT: Final = "/api/dashboard/insight"
INSIGHT_ROUTES: Final = (INSIGHT, f"{INSIGHT}.csv", f"{INSIGHT}/gaps", f"{INSIGHT}/gaps.csv")

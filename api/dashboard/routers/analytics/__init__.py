"""Dashboard pages for analytics."""

from typing import Final

from api.dashboard.routers.analytics import metrics_pages

ROUTERS: Final = (metrics_pages.router,)

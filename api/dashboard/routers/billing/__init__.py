"""Dashboard pages for billing: usage, the plan and credits."""

from typing import Final

from api.dashboard.routers.billing import billing_pages, usage_pages

ROUTERS: Final = (usage_pages.router, billing_pages.router)

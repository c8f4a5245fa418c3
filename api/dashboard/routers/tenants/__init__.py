"""Dashboard pages for automation, API keys, and AI clients that hold keys."""

from typing import Final

from api.dashboard.routers.tenants import (
    automation_pages,
    business_hours_pages,
    keys_pages,
    loosening_pages,
    settings_pages,
)

ROUTERS: Final = (
    automation_pages.router,
    business_hours_pages.router,
    keys_pages.router,
    loosening_pages.router,
    settings_pages.router,
)

"""Pages of tenants: keys, and the AI clients that hold some."""

from typing import Final

from api.dashboard.routers.tenants import keys_pages, loosening_pages, settings_pages

ROUTERS: Final = (keys_pages.router, loosening_pages.router, settings_pages.router)

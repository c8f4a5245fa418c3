"""Dashboard pages for stored data, retention and data requests."""

from typing import Final

from api.dashboard.routers.privacy import data_pages, data_request_pages

ROUTERS: Final = (data_pages.router, data_request_pages.router)

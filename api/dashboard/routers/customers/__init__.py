"""Dashboard pages for customers."""

from typing import Final

from api.dashboard.routers.customers import customer_pages

ROUTERS: Final = (customer_pages.router,)

"""Dashboard pages for corrections and for the labelled examples created from them."""

from typing import Final

from api.dashboard.routers.learning import correction_pages

ROUTERS: Final = (correction_pages.router,)

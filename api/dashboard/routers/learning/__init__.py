"""Pages of learning: corrections, and the labelled examples that come of them."""

from typing import Final

from api.dashboard.routers.learning import correction_pages

ROUTERS: Final = (correction_pages.router,)

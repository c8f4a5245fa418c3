"""Rating pages for customers."""

from typing import Final

from api.dashboard.routers.ratings import rate

ROUTERS: Final = (rate.router,)

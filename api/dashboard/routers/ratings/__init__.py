"""The page where customers rate answers."""

from typing import Final

from api.dashboard.routers.ratings import rate

ROUTERS: Final = (rate.router,)

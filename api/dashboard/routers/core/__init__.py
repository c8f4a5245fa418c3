"""Routes for the static files that all dashboard pages load."""

from typing import Final

from api.dashboard.routers.core import static_file

ROUTERS: Final = (static_file.router,)

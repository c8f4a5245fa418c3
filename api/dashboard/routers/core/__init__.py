"""Core pages: the static files that all pages load."""

from typing import Final

from api.dashboard.routers.core import static_file

ROUTERS: Final = (static_file.router,)

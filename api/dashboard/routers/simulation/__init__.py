"""Pages of simulation."""

from typing import Final

from api.dashboard.routers.simulation import simulator_pages

ROUTERS: Final = (simulator_pages.router,)
